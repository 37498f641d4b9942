import {
  type BackendDump,
  type DumpOptions,
  type ReadDumpResult,
  readBackends,
  readCurrentBackend,
} from '@kube-rules/application/dump'
import type { CliContext } from '../cli-context.js'
import { readFiles } from './read-sources.js'

/**
 * Loads dumps from files, and reads them like `readBackends`.
 *
 * @throws InputError if a file cannot be read or is not a dump, or if all dumps are empty and `mayBeEmpty` is not set.
 */
export async function loadBackends(
  context: CliContext,
  paths: readonly string[],
  options: DumpOptions = {},
): Promise<readonly [BackendDump, ...BackendDump[]]> {
  context.startPhase('reading the dump')
  return readBackends(await readFiles(context, paths), options)
}

/** Loads dumps from files, and reads them like `readCurrentBackend`. Throws like `loadBackends`. */
export async function loadCurrentBackend(
  context: CliContext,
  paths: readonly string[],
  options: DumpOptions = {},
): Promise<ReadDumpResult> {
  context.startPhase('reading the dump')
  return readCurrentBackend(await readFiles(context, paths), options)
}
