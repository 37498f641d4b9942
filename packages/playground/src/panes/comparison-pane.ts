import { modeNames, versionsOf } from '@kube-rules/compiler'
import { createCopyButton } from '../dom/copy-button.js'
import { element } from '../dom/element.js'
import { createTree } from '../dom/tree.js'
import { callWhenChanged } from '../dom/when-changed.js'
import type { ComparisonResult, RulesResult } from '../engine/results.js'
import { ruleKey } from '../engine/rule-line-numbers.js'
import { createTreeOptions, type PageContext } from './page-context.js'
import { createLabelledSelect } from './settings-bar.js'

export interface ComparisonPane {
  readonly panel: HTMLElement
  know(answer: RulesResult): void
  show(answer: ComparisonResult): void
}

/** The inputs of the choices. */
interface Offer extends Pick<RulesResult, 'mode' | 'version'> {
  readonly against: string
}

/** Creates the comparison pane for another mode or version. */
export function createComparisonPane(context: PageContext): ComparisonPane {
  const { question } = context
  const select = element('select', { onchange: () => question.set({ against: select.value }) })
  const content = element('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Differences' })
  let shown = ''
  let own: Pick<RulesResult, 'mode' | 'version'> = { mode: '', version: '' }
  const copy = createCopyButton('Copy', () => shown)
  const ours = element('span', { class: 'hint' })
  const panel = element(
    'div',
    { class: 'panel' },
    element(
      'div',
      { class: 'bar sub' },
      ours,
      createLabelledSelect('against', select),
      element('span', { class: 'grow' }),
      copy,
    ),
    content,
  )

  const offer = callWhenChanged(({ mode, version, against }: Offer) => {
    ours.textContent = mode === '' ? '' : `Mode ${mode} of kube-proxy ${version}`
    const option = (value: string) => element('option', { value }, value)
    const modes = modeNames().filter((name) => name !== mode)
    const versions = versionsOf(mode).filter((each) => each !== version)
    select.replaceChildren(
      element('option', { value: '' }, 'choose …'),
      element('optgroup', { label: 'another mode' }, ...modes.map(option)),
      element('optgroup', { label: 'another version' }, ...[...versions].reverse().map(option)),
    )
    if (![...select.options].some(({ value }) => value === against)) select.append(option(against))
    select.value = against
  })

  function show({ problem, view, text }: ComparisonResult): void {
    shown = text
    copy.hidden = text === ''
    const { against } = question.get()
    if (against === '' || against === own.mode || against === own.version) {
      content.replaceChildren(
        element(
          'p',
          { class: 'empty' },
          'Choose another mode or version of kube-proxy: you see the packets that its rules handle differently, and their outcomes.',
        ),
      )
    } else if (problem !== '') content.replaceChildren(element('p', { class: 'error' }, problem))
    else content.replaceChildren(createTree(view, createTreeOptions('Differences', context, ruleKey)))
  }

  function know({ mode, version }: RulesResult): void {
    own = { mode, version }
    offer({ mode, version, against: question.get().against })
  }

  return { panel, know, show }
}
