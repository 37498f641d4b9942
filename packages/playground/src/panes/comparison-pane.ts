import { FEATURE_DESCRIPTIONS } from 'virtual:features'
import type { RuleChange } from '@kube-rules/analyzer/compare'
import { listModes, versionsOf } from '@kube-rules/compiler'
import { createCopyButton } from '../dom/copy-button.js'
import { createElement, createRegion } from '../dom/create-element.js'
import { callWhenChanged } from '../dom/when-changed.js'
import type { ComparisonGroup } from '../engine/comparison-groups.js'
import type { ComparisonResult, RulesResult } from '../engine/results.js'
import { createComparisonGroups } from './comparison-group.js'
import { createDiffSection } from './diff-section.js'
import { renderInlineCode } from './examples.js'
import type { PageContext } from './page-context.js'
import { createLastResult, type Pane } from './pane.js'
import { createServiceFilter } from './service-filter.js'
import { createLabelledSelect } from './settings-bar.js'
import { createVersionSlider } from './version-slider.js'
import { createViewSection } from './view-section.js'

/** The values that determine the offered modes and versions. */
interface Offer extends Pick<RulesResult, 'mode' | 'version'> {
  readonly against: string
}

/** Creates the comparison pane for another mode or version. */
export function createComparisonPane(context: PageContext): Pane {
  const { question } = context
  const select = createElement('select', { onchange: () => question.set({ against: select.value }) })
  const content = createRegion('scroll', 'Differences')
  const list = createElement('div')
  const filter = createServiceFilter('comparison', () => showGroups())
  let groups: readonly ComparisonGroup[] = []
  let shown = ''
  let own: Pick<RulesResult, 'mode' | 'version'> = { mode: '', version: '' }
  const copy = createCopyButton('Copy', () => shown)
  const ours = createElement('span', { class: 'hint' })
  const slider = createVersionSlider((version, from) => {
    const { against } = question.get()
    const isMode = (listModes() as readonly string[]).includes(against)
    question.set({ version, against: isMode ? against : from })
  })
  const panel = createElement(
    'div',
    { class: 'panel' },
    createElement(
      'div',
      { class: 'bar sub' },
      ours,
      slider.setting,
      createLabelledSelect('against', select),
      filter.setting,
      createElement('span', { class: 'grow' }),
      copy,
    ),
    content,
  )

  const lastResult = createLastResult(panel)

  const offer = callWhenChanged(({ mode, version, against }: Offer) => {
    ours.textContent = mode === '' ? '' : `${mode} mode`
    slider.show(mode, version)
    const option = (value: string) => createElement('option', { value }, value)
    const modes = listModes().filter((name) => name !== mode)
    const versions = versionsOf(mode).filter((each) => each !== version)
    select.replaceChildren(
      createElement('option', { value: '' }, 'choose …'),
      createElement('optgroup', { label: 'another mode' }, ...modes.map(option)),
      createElement('optgroup', { label: 'another version' }, ...[...versions].reverse().map(option)),
    )
    if (![...select.options].some(({ value }) => value === against)) select.append(option(against))
    select.value = against
  })

  function showGroups(): void {
    list.replaceChildren(...createComparisonGroups(groups, filter.chosen(), context))
  }

  function show(result: ComparisonResult): void {
    const { problem, names, sentence, groups: found, services, view, text, changes, rules } = result
    if (lastResult.isKept(problem)) return
    groups = found
    filter.offer(services)
    shown = text
    copy.hidden = text === ''
    const { against } = question.get()
    if (against === '' || against === own.mode || against === own.version) {
      content.replaceChildren(
        createElement(
          'p',
          { class: 'empty' },
          'Move the slider, or choose another mode or version of kube-proxy: you see how the rules differ and why, and the packets that they handle differently.',
        ),
      )
    } else if (problem !== '') content.replaceChildren(createElement('p', { class: 'error' }, problem))
    else {
      showGroups()
      content.replaceChildren(
        createElement('p', { class: 'effect' }, sentence),
        list,
        ...createViewSection('All packets', view, context),
        ...createChangesSection(changes),
        ...(rules?.length === 0
          ? [createElement('p', { class: 'empty' }, `The rules of ${names.join(' and ')} are the same.`)]
          : []),
        ...createDiffSection('Rules', rules ?? []),
      )
    }
  }

  function know(rules: RulesResult): void {
    const { mode, version } = rules
    lastResult.know(rules)
    own = { mode, version }
    offer({ mode, version, against: question.get().against })
  }

  return { panel, update: { rules: know, comparison: show } }
}

/** Creates the list of features that change the rules, by version. Returns no elements if no feature changes the rules. */
function createChangesSection(changes: readonly RuleChange[]): readonly HTMLElement[] {
  const titles = [...new Set(changes.map(titleOf))]
  return titles.flatMap((title) => [
    createElement('h2', {}, title),
    createElement(
      'ul',
      { class: 'changes' },
      ...changes
        .filter((change) => titleOf(change) === title)
        .map(({ feature }) => createElement('li', {}, ...renderInlineCode(FEATURE_DESCRIPTIONS[feature] ?? feature))),
    ),
  ])
}

function titleOf({ version, isAdded }: RuleChange): string {
  return isAdded ? `From ${version} on` : `Only before ${version}`
}
