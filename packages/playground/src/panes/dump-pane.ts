import { recognizePaste } from '@kube-rules/application/dump'
import { createElement } from '../dom/create-element.js'
import { createTabs } from '../dom/tabs.js'
import { createEditor } from '../editor/editors.js'
import type { DumpResult } from '../engine/results.js'
import type { RuleLineNumbers } from '../engine/rule-line-numbers.js'
import { assignHues } from '../question/assign-hues.js'
import type { PlaygroundRequest } from '../question/playground-request.js'
import { createMoveOffer } from './move-offer.js'
import { createOwnerHandlers, type PageContext, selectHighlightedLines } from './page-context.js'
import { createTraceButton } from './trace-button.js'
import { createViewSection } from './view-section.js'

export interface DumpPane {
  readonly panel: HTMLElement
  show(answer: DumpResult): void
  load(): void
  focus(): void
  setSelectableLines(lines: RuleLineNumbers): void
}

/** Returns the rules that packets traverse after an edit of the dump: those of the node as soon as a dump is there. */
function throughAfter(before: Pick<PlaygroundRequest, 'dump' | 'through'>, dump: string): string {
  if (dump.trim() === '') return 'rules'
  return before.dump.trim() === '' ? 'dump' : before.through
}

/** Longer dumps take a noticeable time to read. */
const LONG_DUMP = 200_000

/** Creates the dump pane: the pasted dump at the top, its problems and the owner of each rule below. */
export function createDumpPane(context: PageContext): DumpPane {
  const { question, attention } = context
  const nobody = { onHighlight: () => {}, onChoose: () => {}, onJump: () => {} }
  const input = createElement('div', { class: 'editor paste' })
  const output = createElement('div', { class: 'editor' })
  const report = createElement('div', { class: 'scroll report', tabindex: 0, role: 'region', 'aria-label': 'Report' })
  const tabs = createTabs('Dump', [
    { id: 'paste', label: 'Original text', panel: input },
    { id: 'owned', label: 'Rule owners', panel: output },
  ])
  const panel = createElement(
    'div',
    { class: 'panel dump' },
    createElement('div', { class: 'bar sub' }, tabs.list),
    input,
    output,
    report,
  )
  const paste = createEditor({
    parent: input,
    label: 'Node rules',
    hint: 'Paste what iptables-save, ipset save, ipvsadm -Sn or nft list ruleset print on a node, or any part of it.',
    language: 'rules',
    onChange: (dump) => question.set({ dump, through: throughAfter(question.get(), dump) }),
    ...nobody,
  })
  const rules = createEditor({
    parent: output,
    label: 'Rules of the node, with their owners',
    hint: '',
    language: 'rules',
    ...createOwnerHandlers(context, 'rules'),
  })
  let known: RuleLineNumbers = {}
  /** The dump of the last report. */
  let reported = ''
  let last: DumpResult | undefined
  let isReading = false

  /** Shows that a long dump is being read, and a button that stops the work. */
  function showProgress(): void {
    const { dump } = question.get()
    if (dump === reported && isReading && last !== undefined) show(last)
    if (dump === reported || dump.length < LONG_DUMP) return
    isReading = true
    const label = `Reading ${(dump.length / 1e6).toFixed(1)} MB …`
    report.replaceChildren(
      createElement('p', { class: 'empty', role: 'status' }, label),
      createElement('progress', { 'aria-label': label }),
      createElement(
        'button',
        { type: 'button', class: 'small', onclick: () => question.set({ dump: '', through: 'rules' }) },
        'Cancel',
      ),
    )
  }

  attention.subscribe((now, before) => {
    rules.light(selectHighlightedLines(now, 'rules'))
    if (now.rules === before.rules) return
    const marked = now.rules.flatMap((rule) => known[rule] ?? [])
    rules.mark(new Set(marked))
    if (marked.length > 0) tabs.show('owned')
    if (marked[0] !== undefined) rules.reveal(marked[0])
  })

  function show(answer: DumpResult): void {
    const {
      problem,
      report: view,
      diagnoses,
      notes,
      text,
      owners,
      names,
      counts,
      programs,
      packets,
      reportText,
    } = answer
    last = answer
    isReading = false
    reported = question.get().dump
    const isThere = reported.trim() !== ''
    const isObjects = recognizePaste(reported) === 'objects'
    const hues = assignHues(names)
    rules.setText(text.replace(/\n$/, ''), {
      ownersOf: (line) => (owners[line] ? [owners[line] ?? 0] : []),
      hueOf: (port) => hues[port - 1] ?? 0,
    })
    const owned = counts.reduce((sum, { lines }) => sum + lines, 0)
    report.replaceChildren(
      ...(isThere
        ? []
        : [
            createElement(
              'p',
              { class: 'empty' },
              'Paste a dump of a node to see its drift from the objects, and the Service that owns each rule.',
            ),
          ]),
      ...(problem === '' ? [] : [isObjects ? moveOffer() : createElement('p', { class: 'error' }, problem)]),
      ...createViewSection('Diagnoses', diagnoses, context),
      ...createViewSection('Drift', view, context, { text: reportText }),
      ...(counts.length === 0
        ? []
        : [
            createElement(
              'p',
              { class: packets.length === 0 ? 'note' : 'effect' },
              `${owned} of its lines belong to ${formatCount(counts.length, 'service port')}; “Rule owners” shows which.`,
            ),
          ]),
      ...(programs.length === 0
        ? []
        : [
            createElement(
              'p',
              { class: 'note' },
              `Other programs: ${programs
                .map(({ name, lines }) => `${name} (number ${names.indexOf(name) + 1}, ${formatCount(lines, 'line')})`)
                .join(', ')}.`,
            ),
          ]),
      ...(packets.length === 0
        ? []
        : [
            createElement('h2', {}, 'Trace a packet through the dump'),
            createElement(
              'ul',
              { class: 'packets' },
              ...packets.map((packet) => createElement('li', {}, createTraceButton(packet, packet, context, 'dump'))),
            ),
          ]),
      ...notes.map((note) => createElement('p', { class: 'note' }, note)),
    )
  }

  /** Offers to move objects that were pasted as a dump. */
  function moveOffer(): HTMLElement {
    const { dump: objects } = question.get()
    return createMoveOffer('These are objects of a cluster.', 'Move them to the objects', () =>
      question.set({ dump: '', objects, through: 'rules', pane: 'rules' }),
    )
  }

  return {
    panel,
    show,
    load: () => {
      paste.setText(question.get().dump)
      showProgress()
    },
    focus: () => {
      tabs.show('paste')
      paste.view.focus()
    },
    setSelectableLines: (lines) => {
      known = lines
    },
  }
}

function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
