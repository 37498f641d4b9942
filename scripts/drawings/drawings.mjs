import * as contributing from './contributing.mjs'
import * as explanation from './explanation.mjs'

/** Every drawing of docs/drawings, by the name of its file. */
export const DRAWINGS = {
  'packet-path.svg': explanation.packetPath,
  'hooks.svg': explanation.hooks,
  'iptables-chains.svg': explanation.chains,
  'masquerading.svg': explanation.masquerading,
  'stages.svg': contributing.stages,
  'plan-and-targets.svg': contributing.planAndTargets,
  'snapshot.svg': contributing.snapshot,
  'node-update.svg': contributing.nodeUpdate,
  'tracing.svg': contributing.tracing,
}
