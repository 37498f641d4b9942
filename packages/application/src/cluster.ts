export { clusterDiagnostics } from './cluster/cluster-diagnostics.js'
export { type CompileValues, compileCluster, compileOptions } from './cluster/compile-cluster.js'
export { type KnownPlaces, type Lines, type PlacedObject, placedObjects } from './cluster/placed-objects.js'
export {
  type Cluster,
  type ClusterReader,
  type ClusterTexts,
  type ClusterValues,
  type Common,
  createClusterReader,
  joinCluster,
  type LabelledManifests,
  type ManifestValues,
  readCluster,
  readConfiguration,
  readHost,
  readObjects,
} from './cluster/read-cluster.js'
export type { Source } from './cluster/source.js'
