/**
 * Stages: where a run's rows can be when a process ends. Each stage that is passed is published on the diagnostics
 * channel `onboard:stage`, for tracing and for fault tests; without a subscriber that costs next to nothing.
 */
import { channel } from 'node:diagnostics_channel';
const stages = channel('onboard:stage');
/** Publishes a stage; `rows` is called only where somebody has subscribed. */
export function passStage(stage, rows = () => [], chunk = null) {
    if (stages.hasSubscribers)
        stages.publish({ stage, rows: rows(), chunk });
}
//# sourceMappingURL=stage.js.map