import { recognizePaste } from '@kube-rules/application/dump'
import { createButton, createElement, createRegion } from '../dom/create-element.js'
import { createTabs } from '../dom/tabs.js'
import { createEditor } from '../editor/editors.js'
import { lineOwnersOf } from '../editor/line-owners.js'
import type { DumpResult } from '../engine/results.js'
import type { RuleLineNumbers } from '../engine/rule-line-numbers.js'
import { assignHues } from '../question/assign-hues.js'
import type { PlaygroundRequest } from '../question/playground-request.js'
import { createMoveOffer } from './move-offer.js'
import { createOwnerHandlers, type PageContext, selectHighlightedLines } from './page-context.js'
import type { EditablePane } from './pane.js'
import { createTraceButton } from './trace-button.js'
import { createViewSection } from './view-section.js'

/** Returns the rules that packets traverse after an edit of the dump: those of the node as soon as a dump is there. */
function throughAfter(before: Pick<PlaygroundRequest, 'dump' | 'through'>, dump: string): string {
  if (dump.trim() === '') return 'rules'
  return before.dump.trim() === '' ? 'dump' : before.through
}

/** Longer dumps take a noticeable time to read. */
const LONG_DUMP = 200_000

/** Creates the dump pane: the pasted dump at the top, its problems and the owner of each rule below. */
export function createDumpPane(context: PageContext): EditablePane {
  const { question, attention } = context
  const input = createElement('div', { class: 'editor paste' })
  const output = createElement('div', { class: 'editor' })
  const report = createRegion('scroll report', 'Report')
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
    ...NO_HANDLERS,
  })
  const rules = createEditor({
    parent: output,
    label: 'Rules of the node, with their owners',
    hint: '',
    language: 'rules',
    ...createOwnerHandlers(context, 'rules'),
  })
  const showReport = createReport(report, context)
  let selectable: RuleLineNumbers = {}

  attention.subscribe((now, before) => {
    rules.light(selectHighlightedLines(now, 'rules'))
    if (now.rules === before.rules) return
    const marked = now.rules.flatMap((rule) => selectable[rule] ?? [])
    rules.mark(new Set(marked))
    if (marked.length > 0) tabs.show('owned')
    if (marked[0] !== undefined) rules.reveal(marked[0])
  })

  return {
    panel,
    update: {
      packet: ({ isLive, lines }) => {
        if (isLive) selectable = lines
      },
      dump: (result) => {
        rules.setText(result.text.replace(/\n$/, ''), lineOwnersOf(result.owners, assignHues(result.names)))
        showReport.result(result)
      },
    },
    load: () => {
      paste.setText(question.get().dump)
      showReport.progress()
    },
    focus: () => {
      tabs.show('paste')
      paste.view.focus()
    },
  }
}

const NO_HANDLERS = { onHighlight: () => {}, onChoose: () => {}, onJump: () => {} }

/** Returns functions that fill the report: with a result, or with the progress while a long dump is being read. */
function createReport(
  report: HTMLElement,
  context: PageContext,
): { result(result: DumpResult): void; progress(): void } {
  const { question } = context
  /** The dump of the last report. */
  let reported = ''
  let last: DumpResult | undefined
  let isReading = false

  function showResult(result: DumpResult): void {
    last = result
    isReading = false
    reported = question.get().dump
    report.replaceChildren(
      ...(reported.trim() === ''
        ? [
            createElement(
              'p',
              { class: 'empty' },
              'Paste a dump of a node to see its drift from the objects, and the Service that owns each rule.',
            ),
          ]
        : []),
      ...createProblem(result, reported, context),
      ...createViewSection('Diagnoses', result.diagnoses, context),
      ...createViewSection('Drift', result.report, context, { text: result.reportText }),
      ...createOwnerSummary(result),
      ...createPacketList(result, context),
      ...result.notes.map((note) => createElement('p', { class: 'note' }, note)),
    )
  }

  return {
    result: showResult,
    progress: () => {
      const { dump } = question.get()
      if (dump === reported && isReading && last !== undefined) showResult(last)
      if (dump === reported || dump.length < LONG_DUMP) return
      isReading = true
      const label = `Reading ${(dump.length / 1e6).toFixed(1)} MB …`
      report.replaceChildren(
        createElement('p', { class: 'empty', role: 'status' }, label),
        createElement('progress', { 'aria-label': label }),
        createButton('Cancel', () => question.set({ dump: '', through: 'rules' })),
      )
    },
  }
}

/** Creates the problem of a dump. Objects that were pasted as a dump can be moved. */
function createProblem({ problem }: DumpResult, dump: string, { question }: PageContext): readonly HTMLElement[] {
  if (problem === '') return []
  if (recognizePaste(dump) !== 'objects') return [createElement('p', { class: 'error' }, problem)]
  return [
    createMoveOffer('These are objects of a cluster.', 'Move them to the objects', () =>
      question.set({ dump: '', objects: question.get().dump, through: 'rules', pane: 'rules' }),
    ),
  ]
}

/** Creates the number of lines that belong to service ports, and the other programs with rules in the dump. */
function createOwnerSummary({ counts, names, packets, programs }: DumpResult): readonly HTMLElement[] {
  const owned = counts.reduce((sum, { lines }) => sum + lines, 0)
  const listed = programs.map(
    ({ name, lines }) => `${name} (number ${names.indexOf(name) + 1}, ${formatCount(lines, 'line')})`,
  )
  return [
    ...(counts.length === 0
      ? []
      : [
          createElement(
            'p',
            { class: packets.length === 0 ? 'note' : 'effect' },
            `${owned} of its lines belong to ${formatCount(counts.length, 'service port')}; “Rule owners” shows which.`,
          ),
        ]),
    ...(listed.length === 0 ? [] : [createElement('p', { class: 'note' }, `Other programs: ${listed.join(', ')}.`)]),
  ]
}

/** Creates the list of packets to trace through the dump. */
function createPacketList({ packets }: DumpResult, context: PageContext): readonly HTMLElement[] {
  if (packets.length === 0) return []
  const items = packets.map((packet) => createElement('li', {}, createTraceButton(packet, packet, context, 'dump')))
  return [
    createElement('h2', {}, 'Trace a packet through the dump'),
    createElement('ul', { class: 'packets' }, ...items),
  ]
}

function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
