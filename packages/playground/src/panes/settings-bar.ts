import { listModes, versionsOf } from '@kube-rules/compiler'
import { createElement } from '../dom/create-element.js'
import { callWhenChanged } from '../dom/when-changed.js'
import type { RulesResult } from '../engine/results.js'
import type { PlaygroundRequest } from '../question/playground-request.js'
import type { PageContext } from './page-context.js'
import type { Pane } from './pane.js'

interface Choice {
  readonly value: string
  readonly label: string
}

/** Creates the settings bar: the compile options and the text format. */
export function createSettingsBar({ question }: PageContext): Pane {
  const choose = (field: keyof PlaygroundRequest) => (event: Event) => {
    question.set({ [field]: (event.target as HTMLSelectElement).value })
  }
  const selects = {
    mode: createElement('select', { onchange: choose('mode') }),
    version: createElement('select', { onchange: choose('version') }),
    family: createElement('select', { onchange: choose('family') }),
    style: createElement('select', { onchange: choose('format') }),
    language: createElement('select', { onchange: choose('subsystem') }),
  }
  const labels = {
    mode: createLabelledSelect('Mode', selects.mode),
    version: createLabelledSelect('kube-proxy', selects.version),
    family: createLabelledSelect('Family', selects.family),
    style: createLabelledSelect('Text', selects.style),
    language: createLabelledSelect('Part', selects.language),
  }
  const panel = createElement(
    'div',
    { class: 'settings', role: 'group', 'aria-label': 'Compile options' },
    ...Object.values(labels),
  )

  const fillAll = callWhenChanged(({ mode, version, formats, subsystems, failure, asked }: Shown) => {
    const usual = (value: string) => (value === '' ? '' : ` (${value})`)
    fillSelect(selects.mode, [{ value: '', label: `auto${usual(mode)}` }, ...listModes().map(sameLabel)], asked.mode)
    const versions = [...versionsOf(asked.mode || mode)].reverse()
    fillSelect(
      selects.version,
      [{ value: '', label: `auto${usual(version)}` }, ...versions.map(sameLabel)],
      asked.version,
    )
    fillSelect(selects.family, FAMILIES, asked.family)
    fillSelect(
      selects.style,
      STYLES.filter(({ value }) => failure !== '' || formats.includes(value)),
      asked.format,
    )
    fillSelect(selects.language, [{ value: '', label: 'all' }, ...subsystems.map(sameLabel)], asked.subsystem)
    labels.language.hidden = subsystems.length < 2
  })

  function show({ mode, version, formats, subsystems, failure }: RulesResult): void {
    const { objects, before, host, dump, ...asked } = question.get()
    fillAll({ mode, version, formats, subsystems, failure, asked })
  }

  return { panel, update: { rules: show } }
}

type Chosen = Omit<PlaygroundRequest, 'objects' | 'before' | 'host' | 'dump'>

/** The values that determine the offered modes and versions. */
interface Shown extends Pick<RulesResult, 'mode' | 'version' | 'formats' | 'subsystems' | 'failure'> {
  readonly asked: Chosen
}

const FAMILIES: readonly Choice[] = [
  { value: '', label: 'auto' },
  { value: 'IPv4', label: 'IPv4' },
  { value: 'IPv6', label: 'IPv6' },
  { value: 'both', label: 'both' },
]

const STYLES: readonly Choice[] = [
  { value: 'save', label: 'as the node prints it' },
  { value: 'restore', label: 'as kube-proxy writes it' },
  { value: 'listing', label: 'as a listing' },
]

function sameLabel(value: string): Choice {
  return { value, label: value }
}

/** Creates a label that screen readers announce without the choices. `pane` distinguishes equal labels. */
export function createLabelledSelect(text: string, select: HTMLSelectElement, pane = 'choose'): HTMLElement {
  select.id = `${pane}-${text.replaceAll(' ', '-').toLowerCase()}`
  return createElement('span', { class: 'setting' }, createElement('label', { for: select.id }, text), select)
}

/** Keeps the selected value as a choice even if the list does not contain it. */
export function fillSelect(select: HTMLSelectElement, choices: readonly Choice[], chosen: string): void {
  const all = choices.some(({ value }) => value === chosen) ? choices : [...choices, { value: chosen, label: chosen }]
  const options = all.map(({ value, label }) => createElement('option', { value }, label))
  select.replaceChildren(...options)
  select.value = chosen
}
