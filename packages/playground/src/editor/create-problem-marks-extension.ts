import { type EditorState, type Extension, type Range, RangeSet, StateEffect, StateField } from '@codemirror/state'
import { Decoration, type DecorationSet, EditorView, GutterMarker, gutter } from '@codemirror/view'
import { createElement } from '../dom/create-element.js'
import type { ObjectProblem } from '../engine/results.js'

/** Sets the problems. */
export const setProblems = StateEffect.define<readonly ObjectProblem[]>()

/** The maximum number of marks. The list below the editor shows the number of further problems. */
const MOST_MARKS = 200

class ProblemMarker extends GutterMarker {
  readonly problem: ObjectProblem

  constructor(problem: ObjectProblem) {
    super()
    this.problem = problem
  }

  override eq({ problem }: ProblemMarker): boolean {
    return problem.text === this.problem.text && problem.severity === this.problem.severity
  }

  /** Hidden from screen readers, because the list below the editor has the same text. */
  override toDOM(): Node {
    const { severity, text } = this.problem
    return createElement('span', { class: `problem-mark ${severity}`, title: text, 'aria-hidden': 'true' }, '●')
  }
}

interface Marks {
  readonly lines: RangeSet<GutterMarker>
  readonly words: DecorationSet
}

/** The marks move with the text until the next result. */
const marksField = StateField.define<Marks>({
  create: () => ({ lines: RangeSet.empty, words: Decoration.none }),
  update: ({ lines, words }, { effects, changes, state }) => {
    const update = effects.find((effect) => effect.is(setProblems))
    if (update !== undefined) return marksOf(update.value, state)
    return changes.empty ? { lines, words } : { lines: lines.map(changes), words: words.map(changes) }
  },
  provide: (field) => EditorView.decorations.from(field, ({ words }) => words),
})

function marksOf(problems: readonly ObjectProblem[], { doc }: EditorState): Marks {
  const lines: Range<GutterMarker>[] = []
  const words: Range<Decoration>[] = []
  for (const problem of problems.filter(({ severity }) => severity !== 'info').slice(0, MOST_MARKS)) {
    if (problem.lines === undefined || problem.lines.from >= doc.lines) continue
    const { from, to, text } = doc.line(problem.lines.from + 1)
    lines.push(new ProblemMarker(problem).range(from))
    const start = from + (text.length - text.trimStart().length)
    const attributes = { class: `problem-words under-${problem.severity}`, title: problem.text }
    if (start < to) words.push(Decoration.mark({ attributes }).range(start, to))
  }
  return { lines: RangeSet.of(lines, true), words: Decoration.set(words, true) }
}

export function hasProblemMarks(state: EditorState): boolean {
  return state.field(marksField).lines.size > 0
}

/** Adds a mark to each line with a problem, and underlines the words of the line. */
export function createProblemMarksExtension(): Extension {
  return [
    marksField,
    gutter({
      class: 'problem-gutter',
      markers: (view) => view.state.field(marksField).lines,
      initialSpacer: () => new ProblemMarker({ severity: 'error', text: '' }),
    }),
  ]
}
