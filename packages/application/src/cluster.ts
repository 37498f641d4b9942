export type { Assumption } from './assume/assumption.js'
export { clusterDiagnostics } from './cluster/cluster-diagnostics.js'
export { type CompileValues, compileCluster, compileOptions } from './cluster/compile-cluster.js'
export { type LineRange, type LocatedObject, locateObjects, type ObjectCache } from './cluster/locate-objects.js'
export {
  type Cluster,
  type ClusterReader,
  type ClusterTexts,
  type ClusterValues,
  type CommonSettings,
  createClusterReader,
  type LabelledManifests,
  type ManifestValues,
  mergeManifests,
  readCluster,
  readConfiguration,
  readHost,
  readObjects,
  settle,
} from './cluster/read-cluster.js'
export { type ParsedSources, parseSources } from './cluster/read-documents.js'
export type { Source } from './cluster/source.js'
