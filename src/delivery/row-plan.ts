import type { JobDefinition } from '../config/job-definition.ts';
import type { FieldsChange } from '../ledger/settle-entry.ts';
import type { Issue } from '../model/issue.ts';
import type { Mapping } from '../model/mapping.ts';
import type { ServiceRequest } from '../model/request.ts';
import type { Answers, Questions } from './consultation.ts';
import type { RowEnd } from './row-task.ts';
import type { ServiceEdge } from './run-context.ts';

/** What is to be done about a row. */
export type RowPlan =
  | { readonly kind: 'done' }
  | { readonly kind: 'settle'; readonly end: RowEnd }
  | {
      readonly kind: 'send';
      readonly request: ServiceRequest;
      /** A dead worker's intent that is taken over, `''` where the row is untouched. */
      readonly expected: string;
      readonly warnings?: readonly Issue[];
      /** What is known of what the service has of the record's fields, and what it has once it has accepted the request. */
      readonly fields?: FieldsChange;
    }
  /** The ledger is to be asked first. */
  | {
      readonly kind: 'consult';
      readonly questions: Questions;
      /** `wait`: ask again in a moment. */
      decide(answers: Answers): RowPlan | { readonly kind: 'wait' };
    };

/** What decisions about rows are made with. */
export type Means = {
  readonly definition: JobDefinition;
  readonly mapping: Mapping;
  readonly service: Pick<ServiceEdge, 'build'>;
};
