export { clusterDiagnostics } from './cluster/cluster-diagnostics.js'
export { type CompileValues, compileCluster, compileOptions } from './cluster/compile-cluster.js'
export { type Lines, type ObjectCache, type PlacedObject, placedObjects } from './cluster/placed-objects.js'
export {
  type Cluster,
  type ClusterReader,
  type ClusterTexts,
  type ClusterValues,
  type Common,
  createClusterReader,
  type LabelledManifests,
  type ManifestValues,
  mergeManifests,
  readCluster,
  readConfiguration,
  readHost,
  readObjects,
} from './cluster/read-cluster.js'
export type { Source } from './cluster/source.js'
