import { Prose } from '../../../src/lib/html-text.tsx';

export function told() {
  return <Prose of="Or `onboard resume r1`, as onboard says." />;
}
