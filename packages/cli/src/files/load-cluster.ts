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
import { formatUnread } from '@kube-rules/application/compare'
import { findPrintedAddresses, type ReadDumpResult } from '@kube-rules/application/dump'
import { UsageError } from '@kube-rules/application/messages'
import type { CliContext } from '../cli-context.js'
import { isLive, type LiveInputOptions, readLiveCluster } from './load-live-cluster.js'
import { readExpected } from './read-expected.js'
import { formatSourceName, type ReadSources, readSources } from './read-sources.js'

/** The sources of a cluster: paths of files and directories, `-` for standard input. */
export interface ClusterInputOptions extends CommonInputOptions, LiveInputOptions {
  readonly filename: readonly string[]
}

/** Sources that several clusters may share. */
export interface CommonInputOptions extends Omit<ClusterOptionValues, 'assume'>, AssumeFlags {
  readonly config?: string | undefined
  /** Whether `-f DIR` includes subdirectories. */
  readonly recursive?: boolean | undefined
  readonly host?: string | undefined
}

/** The options `--assume` and `--no-assume`. */
interface AssumeFlags {
  readonly assume?: boolean | undefined
  readonly noAssume?: boolean | undefined
}

/**
 * Loads the cluster from `-f` or from a live cluster, `--config` and `--host`. The configuration in `--config` has
 * precedence over a configuration among the objects.
 *
 * @throws InputError if a source cannot be read or has no usable object, or if the configuration is invalid.
 */
export async function loadCluster(
  context: CliContext,
  { filename, ...given }: ClusterInputOptions,
): Promise<LoadedCluster> {
  assertOneClusterInput({ filename, ...given })
  const live = isLive(given)
  const common = live ? withoutAssumptions(given) : given
  assertStdinReadOnce([...filename, common.config, common.host])
  const files = live ? await parseLive(context, common) : await parseFiles(context, filename, common)
  const values = resolveAssumeOption(valuesOf(common), [files.parsed])
  const objects = readObjects(files.parsed, values)
  return withFileNotes(mergeManifests(objects, await loadCommon(context, common), values), files)
}

/**
 * Checks that the objects come either from files or from a live cluster. A command calls it before it reads a dump,
 * which may be standard input.
 *
 * @throws UsageError if there is neither, or both.
 */
export function assertOneClusterInput({ filename, ...given }: ClusterInputOptions): void {
  const live = isLive(given)
  if (filename.length === 0 && !live) throw new UsageError('option -f or --cluster is missing')
  if (filename.length > 0 && live) throw new UsageError('option -f cannot be combined with a live cluster')
}

/**
 * Loads two versions of a cluster with the same configuration and host. Objects in both versions get the same assumed
 * values. Throws like `loadCluster`.
 */
export async function loadTwoClusters(
  context: CliContext,
  [older, newer]: readonly [string, string],
  common: CommonInputOptions,
): Promise<readonly [LoadedCluster, LoadedCluster]> {
  assertStdinReadOnce([older, newer, common.config, common.host])
  const [first, second] = [await parseFiles(context, [older], common), await parseFiles(context, [newer], common)]
  const values = resolveAssumeOption(valuesOf(common), [first.parsed, second.parsed])
  const [before, after] = [readObjects(first.parsed, values), readObjects(second.parsed, values)]
  const shared = await loadCommon(context, common)
  return [
    withFileNotes(mergeManifests(before, shared, values, { alongside: after }), first),
    withFileNotes(mergeManifests(after, shared, values, { alongside: before }), second),
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

/** Returns the values for the objects of a dump: without assumptions, and with the addresses that the dump shows. */
export function withDumpedNode<Values extends CommonInputOptions>(values: Values, read: ReadDumpResult): Values {
  return { ...withoutAssumptions(values), nodeAddresses: findPrintedAddresses(read.sources) }
}

/**
 * Checks that the path `-` occurs at most once.
 *
 * @throws UsageError if it occurs twice.
 */
export function assertStdinReadOnce(paths: readonly (string | undefined)[]): void {
  if (paths.filter((path) => path === '-').length > 1) throw new UsageError('standard input (-) can be read only once')
}

/** A cluster from files. */
export interface LoadedCluster extends Cluster {
  /** The subdirectories with manifests that were not read. */
  readonly unread: readonly string[]
}

/** Parsed files, and what was not read. */
interface ParsedFiles extends Pick<ReadSources, 'unread' | 'notes'> {
  readonly parsed: ParsedSources
}

async function parseFiles(
  context: CliContext,
  paths: readonly string[],
  { recursive }: CommonInputOptions,
): Promise<ParsedFiles> {
  context.startPhase('reading objects')
  const { sources, unread, notes } = await readSources(context, paths, recursive)
  const parsed = readExpected('objects', sources, () => parseSources(sources, paths.map(formatSourceName)))
  return { parsed, unread, notes }
}

async function parseLive(
  context: CliContext,
  { node, ...options }: Omit<ClusterInputOptions, 'filename'>,
): Promise<ParsedFiles> {
  const { sources, unread, notes } = await readLiveCluster(context, options, node)
  return { parsed: parseSources(sources), unread, notes }
}

/** Adds the notes about directories to a cluster. */
function withFileNotes(cluster: Cluster, { unread, notes }: ParsedFiles): LoadedCluster {
  const all = unread.length === 0 ? notes : [...notes, `${formatUnread(unread)}; -R reads them`]
  return { ...cluster, unread, notes: [...cluster.notes, ...all.map((text) => `note: ${text}`)] }
}

async function loadCommon(context: CliContext, { config, host }: CommonInputOptions): Promise<CommonSettings> {
  return {
    configuration:
      config === undefined ? undefined : readConfigurationFile((await readSources(context, [config])).sources, config),
    host: host === undefined ? undefined : readHostFile((await readSources(context, [host])).sources, host),
  }
}
