import type { PastedCommand, PastedLine, PasteHints } from '../../../analyzer/src/dataplane/netfilter/pasted.js'

/** Hints of a paste with only its family. */
export const NO_HINTS: PasteHints = {
  family: 'IPv4',
  tableOfChain: () => undefined,
  chainOfWords: () => undefined,
  tableOfObject: () => undefined,
  isOwned: () => false,
}

/**
 * Builds pasted lines: `...` is a gap, `---` an end, a trailing `...` marks a truncated line, and `$ TOOL ARGS | grep`
 * is the command.
 */
export function pastedLines(...written: readonly string[]): readonly PastedLine[] {
  let command: PastedCommand | undefined
  return written.flatMap((source, place): readonly PastedLine[] => {
    const at = { source, text: 0, line: place + 1, column: 1, written: source }
    if (source.startsWith('$ ')) {
      command = commandOf(source.slice(2))
      return []
    }
    if (source === '...') return [{ kind: 'gap', ...at }]
    if (source === '---') return [{ kind: 'end', ...at }]
    if (source === '') return [{ kind: 'blank', ...at }]
    return [{ kind: 'line', ...at, isCut: source.endsWith('...'), command }]
  })
}

function commandOf(command: string): PastedCommand {
  const [words = '', filter] = command.split(' | ')
  const [tool = '', ...args] = words.split(' ')
  return { tool, args, filter: filter === undefined ? undefined : filter === 'grep' ? 'search' : 'cut' }
}
