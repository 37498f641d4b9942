export { assignClusterIPs } from '../cluster/assign-cluster-ips.js'
export { clusterDiagnostics, type ReadObjects } from '../cluster/cluster-diagnostics.js'
export { type CompileValues, compileCluster, compileOptions } from '../cluster/compile-cluster.js'
export { type Document, parseDocuments } from '../cluster/parse-documents.js'
export {
  type KnownPlaces,
  type Lines,
  type PlacedObject,
  type PlacedPiece,
  placedObjects,
} from '../cluster/placed-objects.js'
export { type BackEnd, readBackEnds, readMainBackEnd } from '../cluster/read-back-ends.js'
export {
  type Cluster,
  type ClusterReader,
  type ClusterTexts,
  type ClusterValues,
  createClusterReader,
  type ManifestValues,
  readCluster,
} from '../cluster/read-cluster.js'
export { type DumpOptions, type ReadDump, readDump } from '../cluster/read-dump.js'
export type { Source } from '../cluster/source.js'
export { type NodeVersion, versionOfNode } from '../cluster/version-of-node.js'
export { InputError, UsageError } from '../errors.js'
export { diagnosticLines, judgingLines } from '../report/diagnostic-lines.js'
export { failureLines } from '../report/failure-lines.js'
export { messageLine } from '../report/message-line.js'
