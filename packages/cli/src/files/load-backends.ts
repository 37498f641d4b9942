import {
  type BackendDump,
  type DumpOptions,
  type ReadDump,
  readBackEnds,
  readMainBackEnd,
} from '@kube-rules/application/dump'
import type { Context } from '../context.js'
import { readFiles } from './read-sources.js'

/**
 * Loads dumps as `readBackEnds` does.
 *
 * @throws InputError if a file cannot be read or is not a dump, or if all dumps are empty and `mayBeEmpty` is not set.
 */
export async function loadBackEnds(
  context: Context,
  paths: readonly string[],
  options: DumpOptions = {},
): Promise<readonly [BackendDump, ...BackendDump[]]> {
  return readBackEnds(await readFiles(context, paths), options)
}

/** Loads dumps as `readMainBackEnd` does. Throws like `loadBackEnds`. */
export async function loadMainBackEnd(
  context: Context,
  paths: readonly string[],
  options: DumpOptions = {},
): Promise<ReadDump> {
  return readMainBackEnd(await readFiles(context, paths), options)
}
