import {
  type Cluster,
  type ClusterValues,
  type CommonSettings,
  type LabelledManifests,
  type ManifestValues,
  mergeManifests,
  readConfiguration,
  readHost,
  readObjects,
} from '@kube-rules/application/cluster'
import { UsageError } from '@kube-rules/application/messages'
import type { Context } from '../context.js'
import { readSources, sourceName } from './read-sources.js'

/** The sources of a cluster: paths of files and directories, `-` for standard input. */
export interface ClusterSources extends CommonSources {
  readonly filename: readonly string[]
}

/** Sources that several clusters may share. */
export interface CommonSources extends ClusterValues {
  readonly config?: string | undefined
  readonly host?: string | undefined
}

/**
 * Loads the cluster from `-f`, `--config` and `--host`. The configuration in `--config` has precedence over one among
 * the objects.
 *
 * @throws InputError if a source cannot be read or has no usable object, or if the configuration is invalid.
 */
export async function loadCluster(context: Context, { filename, ...common }: ClusterSources): Promise<Cluster> {
  if (filename.length === 0) throw new UsageError('option -f is missing')
  requireOneStdin([...filename, common.config, common.host])
  const objects = await loadObjects(context, filename, common)
  return mergeManifests(objects, await loadCommon(context, common), common)
}

/** Loads two clusters with the same configuration and host. Throws like `loadCluster`. */
export async function loadTwoClusters(
  context: Context,
  [older, newer]: readonly [string, string],
  common: CommonSources,
): Promise<readonly [Cluster, Cluster]> {
  requireOneStdin([older, newer, common.config, common.host])
  const before = await loadObjects(context, [older], common)
  const after = await loadObjects(context, [newer], common)
  const shared = await loadCommon(context, common)
  return [mergeManifests(before, shared, common), mergeManifests(after, shared, common)]
}

/**
 * Checks that `-` occurs at most once.
 *
 * @throws UsageError if it occurs twice.
 */
export function requireOneStdin(paths: readonly (string | undefined)[]): void {
  if (paths.filter((path) => path === '-').length > 1) throw new UsageError('standard input (-) can be read only once')
}

async function loadObjects(
  context: Context,
  paths: readonly string[],
  values: ManifestValues,
): Promise<LabelledManifests> {
  return readObjects(await readSources(context, paths), paths.map(sourceName), values)
}

async function loadCommon(context: Context, { config, host }: CommonSources): Promise<CommonSettings> {
  return {
    configuration: config === undefined ? undefined : readConfiguration(await readSources(context, [config]), config),
    host: host === undefined ? undefined : readHost(await readSources(context, [host]), host),
  }
}
