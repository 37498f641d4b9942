import { createCopyButton } from '../dom/copy-button.js'
import { createElement, setHue } from '../dom/create-element.js'
import { callWhenChanged } from '../dom/when-changed.js'
import { createEditor } from '../editor/editors.js'
import { lineOwnersOf } from '../editor/line-owners.js'
import type { RulesResult } from '../engine/results.js'
import type { RuleLineNumbers } from '../engine/rule-line-numbers.js'
import { createOwnerHandlers, type PageContext, selectHighlightedLines } from './page-context.js'
import type { Pane } from './pane.js'

/** The content of the list above the rules. */
interface Legend {
  readonly names: readonly string[]
  readonly hues: readonly number[]
  readonly more: number
}

/** Maximum number of service ports in the list above the rules. */
const MOST_PORTS = 80

/** Creates the rules pane, with the list of owners above the rules. */
export function createRulesPane(context: PageContext): Pane {
  const { question, attention, ports } = context
  const legend = createElement('div', { class: 'legend', role: 'group', 'aria-label': 'Service ports' })
  const code = createElement('div', { class: 'editor' })
  const wrap = createElement('input', { type: 'checkbox', onchange: () => editor.wrap(wrap.checked) })
  let shown = ''
  const copy = createCopyButton('Copy', () => shown)
  const panel = createElement(
    'div',
    { class: 'panel rules' },
    createElement('div', { class: 'bar sub' }, legend, createElement('label', { class: 'wrap' }, wrap, 'wrap'), copy),
    code,
  )
  const editor = createEditor({
    parent: code,
    label: 'Rules',
    hint: 'No rules yet. Paste objects on the left, or load an example.',
    language: 'rules',
    ...createOwnerHandlers(context, 'rules'),
  })
  let owners: Uint16Array = new Uint16Array()
  let known: RuleLineNumbers = {}
  let notation = ''

  attention.subscribe((now, before) => {
    editor.light(selectHighlightedLines(now, 'rules'))
    for (const button of legend.querySelectorAll('button')) {
      button.setAttribute('aria-pressed', String(now.chosen.includes(Number(button.value))))
    }
    if (now.line !== before.line && now.line.isJump && now.line.side === 'objects') {
      question.set({ pane: 'rules' })
      editor.jumpTo(firstLineOf(now.chosen) ?? 0)
      return
    }
    if (now.rules === before.rules && now.chosen === before.chosen) return
    const marked = [...new Set(now.rules.flatMap((rule) => known[rule] ?? []))]
    editor.mark(new Set(marked))
    revealFirst(marked[0] ?? (editor.view.hasFocus ? undefined : firstLineOf(now.chosen)))
  })

  function revealFirst(line: number | undefined): void {
    if (line !== undefined && line >= 0) editor.reveal(line)
  }

  function firstLineOf([port]: readonly number[]): number | undefined {
    if (port === undefined) return undefined
    const lines = shown.split('\n')
    const { isLinked } = selectHighlightedLines(attention.get(), 'rules')
    // Also searches rules without a service port (0), such as the rule of a health-check node port.
    for (const owner of [port, 0]) {
      const linked = owners.findIndex((each, line) => each === owner && isLinked(lines[line] ?? ''))
      if (linked >= 0) return linked
    }
    // Prefers a rule to the declaration of its chain, because the rule is more informative.
    const rule = owners.findIndex((owner, line) => owner === port && !lines[line]?.startsWith(':'))
    return rule >= 0 ? rule : owners.indexOf(port)
  }

  function show({ failure, text, owners: whose, servicePorts }: RulesResult): void {
    // While the objects are invalid, the last rules remain visible in grey.
    const isStale = failure !== '' && question.get().objects.trim() !== '' && shown !== ''
    panel.classList.toggle('stale', isStale)
    if (isStale) return
    owners = whose
    shown = text
    const { hues } = ports.get()
    editor.setText(text.replace(/\n$/, ''), lineOwnersOf(owners, hues))
    const names = servicePorts.slice(0, MOST_PORTS).map(({ name }) => name)
    fillLegend({ names, hues: hues.slice(0, MOST_PORTS), more: servicePorts.length - names.length })
    // If other rules are printed, scrolls again, because the selected rules have other line numbers.
    const { mode, version, family, format, subsystem } = question.get()
    const next = [mode, version, family, format, subsystem].join()
    if (next !== notation && !editor.view.hasFocus) revealFirst(firstLineOf(attention.get().chosen))
    notation = next
  }

  const fillLegend = callWhenChanged<Legend>(({ names, hues, more }) => {
    const chips = names.map((name, index) => chip(name, index + 1, hues[index]))
    legend.replaceChildren(
      ...chips,
      ...(more > 0
        ? [createElement('span', { class: 'more' }, `and ${more} more: click a line to select its Service`)]
        : []),
    )
  })

  function chip(name: string, port: number, hue: number | undefined): HTMLElement {
    const toggle = () => {
      const isChosen = attention.get().chosen.includes(port)
      attention.set({ chosen: isChosen ? [] : [port], looked: [], rules: [] })
    }
    const look = (looked: readonly number[]) => () => attention.set({ looked })
    return setHue(
      createElement(
        'button',
        {
          type: 'button',
          class: 'chip',
          value: port,
          'aria-pressed': 'false',
          onclick: toggle,
          onmouseenter: look([port]),
          onmouseleave: look([]),
        },
        createElement('span', { class: 'port-number' }, String(port)),
        name,
      ),
      hue,
    )
  }

  return {
    panel,
    update: {
      rules: show,
      packet: ({ isLive, lines }) => {
        if (!isLive) known = { ...known, ...lines }
      },
      dump: ({ lines }) => {
        known = { ...known, ...lines }
      },
    },
  }
}
