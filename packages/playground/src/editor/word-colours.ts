import { type Extension, RangeSetBuilder } from '@codemirror/state'
import { Decoration, type DecorationSet, type EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view'

/**
 * Words of all the tools' texts, by what they are for the eye: comments, chains, verdicts, options, addresses. What rules mean is asked
 * of the library.
 */
export const RULES =
  /^(?<comment>#.*|\*\w+|COMMIT)$|(?<string>"(?:[^"\\]|\\.)*")|\b(?<chain>KUBE-[\w-]+|(?:PREROUTING|INPUT|FORWARD|OUTPUT|POSTROUTING)\b|(?:service|endpoint|external|firewall|affinity|services|nodeport|filter|nat|mark|masquerading|cluster|reject|no)-[\w./-]+)|\b(?<keyword>ACCEPT|DROP|REJECT|RETURN|DNAT|MARK|MASQUERADE|REDIRECT|accept|drop|reject|return|dnat|masquerade|jump|goto)\b|(?<=\s|^)(?<key>-{1,2}[A-Za-z][\w-]*)|\b(?<number>(?:0x[0-9a-f]+(?:\/0x[0-9a-f]+)?|[0-9a-f]*:[0-9a-f:]+|\d+(?:\.\d+){3}|\d+(?:\.\d+)?)(?:\/\d+)?)\b|[\w./@-][\w./@:-]*/g

/** The same of YAML, JSON too, as far as one line tells. */
export const YAML =
  /(?<comment>(?<=^|\s)#.*|^(?:---|\.\.\.)(?=\s|$))|(?<key>(?:"(?:[^"\\]|\\.)*"|'[^']*'|[\w./-]+)(?=\s*:(?:\s|$)))|(?<string>"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')|(?<keyword>[&*!][\w.!/-]+)|(?<=[\s,[{:-]|^)(?<number>(?:true|false|null|~|-?\d+(?:\.\d+)?)(?=[\s,\]}]|$))|[^\s,[\]{}"'#]+/g

/** Longer lines are none that anybody reads. */
const MOST_CHARACTERS = 5_000

/** Colours the words of the lines that are to be seen. Each line is by itself, so that nothing else has to be looked at. */
export function wordColours(words: RegExp): Extension {
  return ViewPlugin.define(
    (view) => ({
      decorations: wordsIn(view, words),
      update({ docChanged, viewportChanged, view: after }: ViewUpdate): void {
        if (docChanged || viewportChanged) this.decorations = wordsIn(after, words)
      },
    }),
    { decorations: (plugin) => plugin.decorations },
  )
}

function wordsIn({ visibleRanges, state: { doc } }: EditorView, words: RegExp): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>()
  for (const { from, to } of visibleRanges) {
    for (let at = from; at <= to; ) {
      const line = doc.lineAt(at)
      for (const { index, 0: word, groups = {} } of line.text.slice(0, MOST_CHARACTERS).matchAll(words)) {
        const mark = MARKS.get(Object.keys(groups).find((name) => groups[name] !== undefined) ?? '')
        if (mark !== undefined) builder.add(line.from + index, line.from + index + word.length, mark)
      }
      at = line.to + 1
    }
  }
  return builder.finish()
}

/** Colours come from the page's style sheet, so that dark and light are decided there alone. */
const MARKS: ReadonlyMap<string, Decoration> = new Map(
  ['comment', 'string', 'chain', 'keyword', 'key', 'number'].map((kind) => [
    kind,
    Decoration.mark({ attributes: { style: `color: var(--${kind})` } }),
  ]),
)
