import { type Extension, RangeSetBuilder } from '@codemirror/state'
import { Decoration, type DecorationSet, type EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view'

/**
 * Tokens to color in the text formats of all tools: comments, chains, verdicts, options and addresses. The tokens only
 * determine colors. The library interprets the rules.
 */
export const RULE_TOKENS =
  /^(?<comment>#.*|\*\w+|COMMIT)$|(?<string>"(?:[^"\\]|\\.)*"?)|\b(?<chain>KUBE-[\w-]+|(?:PREROUTING|INPUT|FORWARD|OUTPUT|POSTROUTING)\b|(?:service|endpoint|external|firewall|affinity|services|nodeport|filter|nat|mark|masquerading|cluster|reject|no)-[\w./-]+)|\b(?<keyword>ACCEPT|DROP|REJECT|RETURN|DNAT|MARK|MASQUERADE|REDIRECT|accept|drop|reject|return|dnat|masquerade|jump|goto)\b|(?<=\s|^)(?<key>-{1,2}[A-Za-z][\w-]*)|\b(?<number>(?:0x[0-9a-f]+(?:\/0x[0-9a-f]+)?|[0-9a-f]*:[0-9a-f:]+|\d+(?:\.\d+){3}|\d+(?:\.\d+)?)(?:\/\d+)?)\b|[\w./@-][\w./@:-]*/g

/** Tokens of YAML and JSON, as far as the tokens can be recognized within one line. */
export const YAML_TOKENS =
  /(?<comment>(?<=^|\s)#.*|^(?:---|\.\.\.)(?=\s|$))|(?<key>(?:"(?:[^"\\]|\\.){0,99}"|'[^']{0,99}'|[\w./-]+)(?=\s*:(?:\s|$)))|(?<string>"(?:[^"\\]|\\.)*"?|(?<!\w)'(?:[^']|'')*'?)|(?<keyword>[&*!][\w.!/-]+)|(?<=[\s,[{:-]|^)(?<number>(?:true|false|null|~|-?\d+(?:\.\d+)?)(?=[\s,\]}]|$))|[^\s,[\]{}"'#]+/g

/** Longer lines are not colored, because they are not for human readers. */
const MOST_CHARACTERS = 5_000

/** Colors the words of the visible lines. Each line is independent, so that no other line needs processing. */
export function createSyntaxHighlighting(words: RegExp): Extension {
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

/** Colors come from the style sheet of the page, so that dark and light colors are defined in only one place. */
const MARKS: ReadonlyMap<string, Decoration> = new Map(
  ['comment', 'string', 'chain', 'keyword', 'key', 'number'].map((kind) => [
    kind,
    Decoration.mark({ attributes: { style: `color: var(--${kind})` } }),
  ]),
)
