import { type Dump, type DumpError, parseDump } from '@kube-rules/compiler'
import type { IpFamily } from '@kube-rules/types'
import type { Context } from '../context.js'
import { InputError } from '../errors.js'
import { count } from '../report/count.js'
import { readFiles, type Source } from './read-sources.js'

/** Errors that are printed with their place in the text. */
const SHOWN_ERRORS = 5

/**
 * What the dumps say. `family` is that of tables that do not tell theirs.
 *
 * @throws InputError where a file cannot be read or is no dump, and where nothing is in any of them.
 */
export async function loadDump(context: Context, paths: readonly string[], family?: IpFamily): Promise<Dump> {
  const sources = await readFiles(context, paths)
  const texts = sources.map(({ text }) => text)
  const result = parseDump(texts, { family })
  const names = sources.map(({ name }) => name).join(', ')
  if (!result.ok) throw new InputError(`${names}: not what the tools print`, [], errorLines(result.errors, sources))
  const { families, ipset, ipvs, addresses } = result.dump
  if (families.length > 0 || ipset || ipvs || addresses) return result.dump
  throw new InputError(`${names}: nothing in it; expected what iptables-save, ipset save or ipvsadm -Sn print`)
}

function errorLines(errors: readonly DumpError[], sources: readonly Source[]): readonly string[] {
  const shown = errors.slice(0, SHOWN_ERRORS)
  const more = errors.length - shown.length
  return [
    ...shown.flatMap(({ text, line, column, message, frame }) => [
      `error: ${sources[text]?.name}:${line}:${column}: ${message}`,
      ...frame.split('\n'),
    ]),
    ...(more === 0 ? [] : [`… and ${count(more, 'more error')}`]),
  ]
}
