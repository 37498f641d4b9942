import type { TextSource } from '@kube-rules/application/cluster'
import { type PasteKind, recognizePaste } from '@kube-rules/application/dump'
import { InputError } from '@kube-rules/application/messages'

/** The option that reads each kind of input, for messages. */
const HINTS: Readonly<Record<PasteKind, string>> = {
  objects: 'it has Kubernetes objects, which -f reads',
  dump: 'it has the rules of a node, which --dump reads (verify, explain and compare)',
}

/**
 * Runs a reader of sources. If it rejects a source with the other kind of input, the error says which option reads this
 * source, instead of a list of problems.
 */
export function readExpected<Result>(expected: PasteKind, sources: readonly TextSource[], read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    const rejected = sources.find(({ name }) => error instanceof InputError && error.message.startsWith(`${name}: `))
    const kind = rejected && recognizePaste(rejected.text)
    if (kind === undefined || kind === expected) throw error
    throw new InputError(`${rejected?.name}: ${HINTS[kind]}`)
  }
}
