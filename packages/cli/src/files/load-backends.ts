import { selectNodeDumps } from '@kube-rules/application/cluster'
import {
  type BackendDump,
  type DumpOptions,
  type ReadDumpResult,
  readBackends,
  readCurrentBackend,
} from '@kube-rules/application/dump'
import type { CliContext } from '../cli-context.js'
import { readExpected } from './read-expected.js'
import { readFiles } from './read-sources.js'

/** Options for dumps in files. */
export interface DumpFileOptions extends DumpOptions {
  /** The node to select in files with the rules of several nodes. */
  readonly node?: string | undefined
}

/**
 * Loads dumps from files, and reads them like `readBackends`.
 *
 * @throws InputError if a file cannot be read or is not a dump, or if all dumps are empty and `mayBeEmpty` is not set.
 */
export async function loadBackends(
  context: CliContext,
  paths: readonly string[],
  { node, ...options }: DumpFileOptions = {},
): Promise<readonly [BackendDump, ...BackendDump[]]> {
  context.startPhase('reading the dump')
  const sources = selectNodeDumps(await readFiles(context, paths), node)
  return readExpected('dump', sources, () => readBackends(sources, options))
}

/** Loads dumps from files, and reads them like `readCurrentBackend`. Throws like `loadBackends`. */
export async function loadCurrentBackend(
  context: CliContext,
  paths: readonly string[],
  { node, ...options }: DumpFileOptions = {},
): Promise<ReadDumpResult> {
  context.startPhase('reading the dump')
  const sources = selectNodeDumps(await readFiles(context, paths), node)
  return readExpected('dump', sources, () => readCurrentBackend(sources, options))
}
