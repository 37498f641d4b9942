export type { AssumedValue } from '@kube-rules/types/manifests'
export { assumeVersion, noteAssumedVersion } from './cluster/assume-version.js'
export { mergeClusterDiagnostics } from './cluster/cluster-diagnostics.js'
export {
  type CompileOptionValues,
  compileCluster,
  toCompileInput,
  toCompileOptions,
} from './cluster/compile-cluster.js'
export { compileClusterNodes } from './cluster/compile-cluster-nodes.js'
export { findNodesWithAddress, type NodeAtAddress } from './cluster/find-nodes-with-address.js'
export {
  CLUSTER_QUERIES,
  type ClusterAnswers,
  type ClusterQuery,
  createClusterSource,
} from './cluster/live-cluster.js'
export { type LineRange, type LocatedObject, type LocatedObjectCache, locateObjects } from './cluster/locate-objects.js'
export { createCollectedFile, type NodeDump, readNodeDumps, selectNodeDumps } from './cluster/node-dumps.js'
export { findPodConfiguration } from './cluster/proxy-configuration.js'
export { findProxyPod, listItems, type PodFacts, readPodFacts } from './cluster/proxy-pods.js'
export {
  type Cluster,
  type ClusterInputTexts,
  type ClusterOptionValues,
  type ClusterReader,
  type CommonSettings,
  createClusterReader,
  type LabelledManifests,
  type ManifestOptionValues,
  mergeManifests,
  readCluster,
  readConfigurationFile,
  readHostFile,
  readObjects,
  resolveAssumeOption,
} from './cluster/read-cluster.js'
export { type ParsedSources, parseSources } from './cluster/read-documents.js'
export type { TextSource } from './cluster/text-source.js'
export { findServiceErrors } from './messages/service-errors.js'
