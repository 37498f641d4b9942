import {
  type BackEnd,
  type DumpOptions,
  type ReadDump,
  readBackEnds,
  readMainBackEnd,
} from '@kube-rules/application/dump'
import type { Context } from '../context.js'
import { readFiles } from './read-sources.js'

/**
 * What the dumps say, as `readBackEnds` reads them.
 *
 * @throws InputError where a file cannot be read or is no dump, and where nothing is in any of them but may not be.
 */
export async function loadBackEnds(
  context: Context,
  paths: readonly string[],
  options: DumpOptions = {},
): Promise<readonly [BackEnd, ...BackEnd[]]> {
  return readBackEnds(await readFiles(context, paths), options)
}

/** What the dumps say, as `readMainBackEnd` reads them. Throws as `loadBackEnds` does. */
export async function loadMainBackEnd(
  context: Context,
  paths: readonly string[],
  options: DumpOptions = {},
): Promise<ReadDump> {
  return readMainBackEnd(await readFiles(context, paths), options)
}
