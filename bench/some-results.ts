import { FIGURES } from './figures.ts';
import { FULL } from './options.ts';
import { judge, type Results } from './results.ts';

/** Results of a bench that never ran: every second figure meets its target, the others miss it by far. */
export function someResults(): Results {
  return {
    measuredAt: '2026-01-02T03:04:05.000Z',
    command: 'npm run bench -- --write',
    quick: false,
    machine: {
      processor: 'Some <Processor> & "Co"',
      cores: 2,
      memoryGiB: 8,
      system: 'Linux 1.2.3',
      load: 0.1,
      disk: 'ext4',
      node: 'v20.0.0',
      redis: '7.0.0',
      service: 'nginx 1.2.3',
    },
    sizes: FULL,
    figures: FIGURES.map(({ id, target, bound }, index) => {
      const isMet = index % 2 === 0;
      const factor = isMet === (bound === 'least') ? 20 : 0.05;
      return judge({
        figure: id,
        values: [target * factor, target * factor * 1.1],
        others: [0.01, 0.049],
        details: { rate: [1, 2.5] },
      });
    }),
  };
}
