import type { Call } from '../model/operation.ts';
import type { JsonObject, ServiceRequest } from '../model/request.ts';
import type { CallSpec } from './operations.ts';
import { CALL_SPECS } from './operations.ts';

/** What the mapping made of a row. */
export type RequestParts = {
  /** For the calls with a path parameter; ignored by the others. */
  readonly pathId: string | null;
  /** Ignored by a call without a body. */
  readonly body: JsonObject;
  /** Passed through as it stands, for any call (DESIGN.md, section 4). */
  readonly query: Readonly<Record<string, string>>;
};

/** The request of one row; throws where the path id is unusable, which the mapping has to refuse before. */
export function buildRequest(call: Call, parts: RequestParts): ServiceRequest {
  const spec = CALL_SPECS[call];
  return {
    call,
    method: spec.method,
    path: pathOf(spec, parts.pathId) + queryOf(parts.query),
    body: spec.body === null ? null : JSON.stringify(parts.body),
  };
}

function pathOf(spec: CallSpec, pathId: string | null): string {
  if (spec.pathParameter === null) return spec.path;
  // Encoding leaves `.` and `..` as they are, and a server would resolve them to another path.
  if (pathId === null || pathId === '' || pathId === '.' || pathId === '..') {
    throw new Error(
      `a request for ${spec.method} ${spec.path}{${spec.pathParameter}} was built without a usable id`,
    );
  }
  return spec.path + encodeURIComponent(pathId);
}

function queryOf(query: Readonly<Record<string, string>>): string {
  let text = '';
  for (const name in query) {
    text += `${text === '' ? '?' : '&'}${encodeURIComponent(name)}=${encodeURIComponent(query[name] ?? '')}`;
  }
  return text;
}
