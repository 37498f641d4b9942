import { type Dump, parseDump } from '@kube-rules/compiler'
import type { IpFamily } from '@kube-rules/types'
import type { Context } from '../context.js'
import { InputError } from '../errors.js'
import { count } from '../report/count.js'
import { printMessages } from '../report/print-message.js'
import { readSources, type Source } from './read-sources.js'

/**
 * What the files of `--dump` hold; `family` is that of tables that do not tell theirs.
 *
 * @throws InputError where one cannot be read; the places are printed before.
 */
export async function loadDump(context: Context, paths: readonly string[], family?: IpFamily): Promise<Dump> {
  const sources = await readSources(context, paths)
  const result = parseDump(
    sources.map(({ text }) => text),
    { family },
  )
  if (result.ok) return result.dump
  await printMessages(
    context,
    result.errors.flatMap((error) => errorLines(error, sources)),
  )
  throw new InputError(`the dump cannot be read: ${count(result.errors.length, 'error')}`)
}

interface Placed {
  readonly text: number
  readonly line: number
  readonly column: number
  readonly message: string
  readonly frame: string
}

function errorLines({ text, line, column, message, frame }: Placed, sources: readonly Source[]): readonly string[] {
  return [`error: ${sources[text]?.name ?? ''}:${line}:${column}: ${message}`, ...frame.split('\n')]
}
