import type { LineRange } from '@kube-rules/application/cluster'
import { recognizePaste } from '@kube-rules/application/dump'
import { createButton, createElement } from '../dom/create-element.js'
import { createTabs } from '../dom/tabs.js'
import { createEditor, type Editor } from '../editor/editors.js'
import { isFieldOfRule } from '../editor/field-links.js'
import { NO_OWNERS } from '../editor/line-owners.js'
import type { ObjectProblem, RulesResult } from '../engine/results.js'
import { createMoveOffer } from './move-offer.js'
import { createOwnerHandlers, type PageContext, selectHighlightedLines } from './page-context.js'
import type { EditablePane, PaneWithBar } from './pane.js'
import { createPodsSlider } from './pods-slider.js'

/** Maximum number of problems below the editor. */
const MOST_PROBLEMS = 100

/** Creates the pane for the objects of the cluster, the host, and their problems. */
export function createObjectsPane(context: PageContext): EditablePane & PaneWithBar {
  const { question, attention, ports } = context
  const objectsPanel = createElement('div', { class: 'editor' })
  const hostPanel = createElement('div', { class: 'editor' })
  const problems = createElement('div', { class: 'problems', role: 'region', 'aria-label': 'Problems', tabindex: 0 })
  const editorOf = (parent: HTMLElement, label: string, hint: string, field: 'objects' | 'host') =>
    createEditor({
      parent,
      label,
      hint,
      language: 'yaml',
      onChange: (text) => question.set(field === 'host' ? { host: text, hostNode: shownNode } : { [field]: text }),
      ...createOwnerHandlers(context, 'objects'),
    })
  const objects = editorOf(
    objectsPanel,
    'Objects of the cluster, YAML or JSON',
    'Services, EndpointSlices, Nodes and the KubeProxyConfiguration, as kubectl prints them (YAML or JSON)',
    'objects',
  )
  const host = editorOf(hostPanel, 'Host facts', 'interfaces:\n  - name: eth0\n    addresses: [192.168.0.2/24]', 'host')
  const tabs = createTabs('Input', [
    { id: 'objects', label: 'Objects', panel: objectsPanel },
    { id: 'host', label: 'Node’s interfaces', panel: hostPanel },
  ])
  const assign = createButton('', () => question.set({ assign: !question.get().assign }), { hidden: true })
  const namespace = createElement('input', {
    type: 'text',
    id: 'namespace',
    size: 12,
    spellcheck: 'false',
    oninput: () => question.set({ namespace: namespace.value.trim() }),
  })
  const namespaceLabel = createElement('label', { class: 'hint', for: 'namespace' }, 'Namespace ', namespace)
  const keep = createButton(
    'Keep as “before”',
    () => question.set({ before: question.get().objects, pane: 'change' }),
    { title: 'Compare later edits with the objects as they are now' },
  )
  const pods = createPodsSlider(() => objects)
  const bar = createElement(
    'div',
    { class: 'bar' },
    tabs.list,
    createElement('span', { class: 'grow' }),
    namespaceLabel,
  )
  bar.append(pods.label, assign, keep)
  const panel = createElement(
    'section',
    { class: 'pane objects', 'aria-label': 'Input' },
    bar,
    objectsPanel,
    hostPanel,
    problems,
  )

  /** The node of the shown rules. Interfaces that the user types belong to this node. */
  let shownNode = ''
  /** The service ports of each line. */
  let owners: readonly (readonly number[])[] = []
  let firstLines: readonly number[] = []
  let shownPorts: RulesResult['servicePorts'] | undefined
  let lineOwners = NO_OWNERS

  attention.subscribe((now, before) => {
    objects.light(selectHighlightedLines(now, 'objects'))
    const [port] = now.chosen
    if (now.line !== before.line && now.line.isJump && now.line.side === 'rules') {
      tabs.show('objects')
      objects.jumpTo(lineOfField(port, now.line.text))
      return
    }
    if (now.line !== before.line && now.line.isStep === true) {
      const [field] = fieldsOf(port, now.line.text)
      if (field !== undefined) objects.reveal(field)
      return
    }
    if (now.chosen === before.chosen || port === undefined || objects.view.hasFocus) return
    const line = firstLines[port - 1]
    if (line !== undefined) objects.reveal(line)
  })

  /**
   * Returns a line with a field that produces a rule: the line of the cursor if it has such a field, otherwise the first
   * such line of the service port.
   */
  function lineOfField(port: number | undefined, rule: string): number {
    const { doc, selection } = objects.view.state
    const current = doc.lineAt(selection.main.head).number - 1
    const fields = fieldsOf(port, rule)
    if (fields.includes(current)) return current
    return fields[0] ?? (port === undefined ? current : (firstLines[port - 1] ?? current))
  }

  /** Returns the lines with fields of a service port that produce a rule. */
  function fieldsOf(port: number | undefined, rule: string): readonly number[] {
    const { doc } = objects.view.state
    const isField = (line: number) =>
      (port === undefined || owners[line]?.includes(port)) && isFieldOfRule(doc.line(line + 1).text, rule)
    return Array.from({ length: doc.lines }, (_, line) => line).filter(isField)
  }

  function showOwners({ servicePorts }: RulesResult): void {
    shownPorts = servicePorts
    owners = ownersOfLines(servicePorts)
    firstLines = servicePorts.map(({ lines, objects: all }) => (lines[0] ?? all[0])?.from ?? 0)
    const { hues } = ports.get()
    lineOwners = { ownersOf: (line) => owners[line] ?? [], hueOf: (port) => hues[port - 1] ?? 0 }
  }

  function show(answer: RulesResult): void {
    shownNode = answer.node
    if (answer.servicePorts !== shownPorts) showOwners(answer)
    const found = problemsIn(answer, question.get().objects)
    objects.annotate(lineOwners, found)
    pods.show(question.get().objects)
    const isHomeless = answer.notes.some((note) => note.includes('--namespace'))
    namespaceLabel.hidden = !isHomeless && question.get().namespace === '' && document.activeElement !== namespace
    const wanting = answer.notes.some((note) => note.includes('--assume '))
    assign.hidden = !wanting && !question.get().assign
    assign.textContent = question.get().assign ? 'Assume nothing' : 'Assume missing values'
    const isDump = answer.failure !== '' && recognizePaste(question.get().objects) === 'dump'
    problems.replaceChildren(...(isDump ? [moveButton()] : problemList(answer, found, objects)))
  }

  /** Offers to move a dump that was pasted into the objects. */
  function moveButton(): HTMLElement {
    const { objects: dump } = question.get()
    return createMoveOffer('This is a dump of a node.', 'Move it to the node dump', () =>
      question.set({ objects: '', dump, through: 'dump', pane: 'dump' }),
    )
  }

  function load(): void {
    objects.setText(question.get().objects)
    host.setText(question.get().host)
    if (namespace.value.trim() !== question.get().namespace) namespace.value = question.get().namespace
  }

  return {
    panel,
    bar,
    update: { rules: show },
    load,
    focus: () => {
      tabs.show('objects')
      objects.view.focus()
    },
  }
}

/**
 * Returns the service ports that own each line: all service ports of the object that contains the line, or only some of
 * them if the line belongs to only these service ports.
 */
function ownersOfLines(servicePorts: RulesResult['servicePorts']): readonly (readonly number[])[] {
  const shared: number[][] = []
  const own: number[][] = []
  for (const [index, { objects, lines }] of servicePorts.entries()) {
    addOwner(shared, objects, index + 1)
    addOwner(own, lines, index + 1)
  }
  return shared.map((ports, line) => own[line] ?? ports)
}

function addOwner(owners: number[][], places: readonly LineRange[], port: number): void {
  for (const { from, to } of places) {
    for (let line = from; line <= to; line++) {
      const known = owners[line]
      if (known === undefined) owners[line] = [port]
      else if (known.at(-1) !== port) known.push(port)
    }
  }
}

/**
 * Returns the problems in the objects. If the text cannot be parsed, the failure is a problem at its line. An empty
 * text is not a problem.
 */
function problemsIn({ failure, problems }: RulesResult, objects: string): readonly ObjectProblem[] {
  if (failure === '' || objects.trim() === '') return problems
  const [, line] = /\bline (\d+), column \d+:/.exec(failure) ?? []
  if (line === undefined) return problems
  const last = objects.split('\n').length - 1
  const from = Math.min(Number(line) - 1, last)
  return [{ severity: 'error', text: failure, lines: { from, to: from } }, ...problems]
}

function problemList(
  { failure, notes }: RulesResult,
  problems: readonly ObjectProblem[],
  editor: Editor,
): readonly HTMLElement[] {
  const shown = problems.filter(({ severity }) => severity !== 'info')
  const items = shown.slice(0, MOST_PROBLEMS).map((problem) => problemItem(problem, editor))
  const more = shown.length - items.length
  return [
    ...(failure === '' || /: empty$/.test(failure) || problems.some(({ text }) => text === failure)
      ? []
      : [createElement('p', { class: 'error' }, failure)]),
    ...items,
    ...(more > 0 ? [createElement('p', {}, `… and ${more} more`)] : []),
    // Removes the command-line options at the end of the notes, because the page has buttons and fields instead.
    ...notes.map((note) => createElement('p', { class: 'note' }, note.replace(/; --.*/, ''))),
  ]
}

function problemItem({ severity, text, lines }: ObjectProblem, editor: Editor): HTMLElement {
  if (lines === undefined) return createElement('p', { class: severity }, text)
  return createButton(`${text} (line ${lines.from + 1})`, () => editor.reveal(lines.from), {
    class: `problem ${severity}`,
  })
}
