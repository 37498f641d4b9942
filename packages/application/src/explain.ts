export { parseDestination } from './explain/destination.js'
export { type DiagnosedPacket, explainPackets, printDiagnosedPackets } from './explain/diagnosed-packet.js'
export {
  createNodeFromCluster,
  createNodeFromDump,
  createNodeFromResult,
  type ExplainedNode,
} from './explain/explained-node.js'
export { noteHosts } from './explain/load-balancer-names.js'
export { noteKubectlTables } from './explain/note-kubectl-tables.js'
export { isSentByOtherProgram, noteOtherPrograms } from './explain/note-other-programs.js'
export { noteUnknownSource } from './explain/note-unknown-source.js'
export { createPacketsToDestination, type ExplainedPacket } from './explain/packets.js'
export { printExplanationsJson, printReachabilityJson } from './explain/print-json.js'
