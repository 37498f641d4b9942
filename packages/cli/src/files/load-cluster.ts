import {
  type Cluster,
  type ClusterOptionValues,
  type CommonSettings,
  mergeManifests,
  type ParsedSources,
  parseSources,
  readConfigurationFile,
  readHostFile,
  readObjects,
  resolveAssumeOption,
} from '@kube-rules/application/cluster'
import { UsageError } from '@kube-rules/application/messages'
import type { CliContext } from '../cli-context.js'
import { formatSourceName, readSources } from './read-sources.js'

/** The sources of a cluster: paths of files and directories, `-` for standard input. */
export interface ClusterInputOptions extends CommonInputOptions {
  readonly filename: readonly string[]
}

/** Sources that several clusters may share. */
export interface CommonInputOptions extends Omit<ClusterOptionValues, 'assume'>, AssumeFlags {
  readonly config?: string | undefined
  readonly host?: string | undefined
}

/** The options `--assume` and `--no-assume`. */
interface AssumeFlags {
  readonly assume?: boolean | undefined
  readonly noAssume?: boolean | undefined
}

/**
 * Loads the cluster from `-f`, `--config` and `--host`. The configuration in `--config` has precedence over a
 * configuration among the objects.
 *
 * @throws InputError if a source cannot be read or has no usable object, or if the configuration is invalid.
 */
export async function loadCluster(context: CliContext, { filename, ...common }: ClusterInputOptions): Promise<Cluster> {
  if (filename.length === 0) throw new UsageError('option -f is missing')
  assertStdinReadOnce([...filename, common.config, common.host])
  const parsed = await parseFiles(context, filename)
  const values = resolveAssumeOption(valuesOf(common), [parsed])
  const objects = readObjects(parsed, values)
  return mergeManifests(objects, await loadCommon(context, common), values)
}

/**
 * Loads two versions of a cluster with the same configuration and host. Objects in both versions get the same assumed
 * values. Throws like `loadCluster`.
 */
export async function loadTwoClusters(
  context: CliContext,
  [older, newer]: readonly [string, string],
  common: CommonInputOptions,
): Promise<readonly [Cluster, Cluster]> {
  assertStdinReadOnce([older, newer, common.config, common.host])
  const [first, second] = [await parseFiles(context, [older]), await parseFiles(context, [newer])]
  const values = resolveAssumeOption(valuesOf(common), [first, second])
  const [before, after] = [readObjects(first, values), readObjects(second, values)]
  const shared = await loadCommon(context, common)
  return [
    mergeManifests(before, shared, values, { alongside: after }),
    mergeManifests(after, shared, values, { alongside: before }),
  ]
}

/**
 * Computes `assume` from `--assume` and `--no-assume`.
 *
 * @throws UsageError for both flags at once.
 */
function valuesOf({ assume, noAssume, ...values }: CommonInputOptions): ClusterOptionValues {
  if (assume && noAssume) throw new UsageError('options --assume and --no-assume cannot be combined')
  return { ...values, assume: assume ? true : noAssume ? false : undefined }
}

/** Returns the values with `--no-assume` as the default, because a live node has the real values. */
export function withoutAssumptions<Values extends CommonInputOptions>(values: Values): Values {
  return values.assume ? values : { ...values, noAssume: true }
}

/**
 * Checks that the path `-` occurs at most once.
 *
 * @throws UsageError if it occurs twice.
 */
export function assertStdinReadOnce(paths: readonly (string | undefined)[]): void {
  if (paths.filter((path) => path === '-').length > 1) throw new UsageError('standard input (-) can be read only once')
}

async function parseFiles(context: CliContext, paths: readonly string[]): Promise<ParsedSources> {
  context.startPhase('reading objects')
  return parseSources(await readSources(context, paths), paths.map(formatSourceName))
}

async function loadCommon(context: CliContext, { config, host }: CommonInputOptions): Promise<CommonSettings> {
  return {
    configuration:
      config === undefined ? undefined : readConfigurationFile(await readSources(context, [config]), config),
    host: host === undefined ? undefined : readHostFile(await readSources(context, [host]), host),
  }
}
