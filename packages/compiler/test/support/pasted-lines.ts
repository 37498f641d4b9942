import type { Asked, PastedLine, PasteHints } from '../../../analyzer/src/dataplane/netfilter/pasted.js'

/** What a paste tells of itself where it tells nothing but its family. */
export const NO_HINTS: PasteHints = {
  family: 'IPv4',
  tableOfChain: () => undefined,
  chainOfWords: () => undefined,
  tableOfPart: () => undefined,
  isOurs: () => false,
}

/** Lines of a paste: `...` is a gap, `---` an end, one that ends in `...` is cut, and `$ TOOL ARGS | grep` is what was asked. */
export function pastedLines(...written: readonly string[]): readonly PastedLine[] {
  let asked: Asked | undefined
  return written.flatMap((source, place): readonly PastedLine[] => {
    const at = { source, text: 0, line: place + 1, column: 1, written: source }
    if (source.startsWith('$ ')) {
      asked = askedOf(source.slice(2))
      return []
    }
    if (source === '...') return [{ kind: 'gap', ...at }]
    if (source === '---') return [{ kind: 'end', ...at }]
    if (source === '') return [{ kind: 'blank', ...at }]
    return [{ kind: 'line', ...at, isCut: source.endsWith('...'), asked }]
  })
}

function askedOf(command: string): Asked {
  const [words = '', filter] = command.split(' | ')
  const [tool = '', ...args] = words.split(' ')
  return { tool, args, filter: filter === undefined ? undefined : filter === 'grep' ? 'search' : 'cut' }
}
