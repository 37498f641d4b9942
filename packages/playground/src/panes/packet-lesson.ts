import { RULE_WORDS } from 'virtual:rule-words'
import { createElement } from '../dom/create-element.js'
import { createLessonSteps, type LessonStep, type PacketField } from '../drawing/lesson-steps.js'
import { findRuleWord } from '../editor/find-rule-word.js'
import type { PacketResult } from '../engine/results.js'
import { findServicePortNumber, type PageContext } from './page-context.js'

export interface PacketLesson {
  readonly panel: HTMLElement
  /** Prepares the lesson of a path. A lesson of another path starts again. */
  prepare(answer: PacketResult, path: number): void
  /**
   * Starts with the first step, and continues until the end, or until the user moves. If the user prefers reduced motion,
   * only the user moves.
   */
  start(): void
  steps(): readonly LessonStep[]
}

/** The milliseconds of a step, and the additional milliseconds of each character of its sentence. */
const STEP_TIME = 1400
const CHARACTER_TIME = 18

const FIELDS: Readonly<Record<PacketField, string>> = { source: 'from', destination: 'to', mark: 'mark' }

/**
 * Creates the lesson: one sentence for each step of a path, the packet after it, and the branches of a random choice. It
 * selects the rule of the step in all panes. `onStep` receives the index of the rule, -1 at the start, and undefined if
 * there is no lesson.
 */
export function createPacketLesson(
  { attention, ports }: PageContext,
  onStep: (step: number | undefined) => void,
): PacketLesson {
  const button = (label: string, text: string, onclick: () => void) =>
    createElement('button', { type: 'button', class: 'small', 'aria-label': label, title: label, onclick }, text)
  const previous = button('Previous step (←)', '←', () => move(-1))
  const next = button('Next step (→)', '→', () => move(1))
  const run = button('Play', '▸', () => (timer === 0 ? resume() : pause()))
  const close = button('End the lesson (Escape)', '✕', () => end())
  const progress = createElement('span', { class: 'hint' })
  const sentence = createElement('p', { 'aria-live': 'polite' })
  const facts = createElement('dl')
  const branches = createElement('ul')
  const panel = createElement(
    'div',
    {
      class: 'lesson',
      role: 'region',
      'aria-label': 'Follow the packet',
      tabindex: 0,
      hidden: true,
      onkeydown: (event: KeyboardEvent) => pressKey(event),
    },
    createElement(
      'div',
      { class: 'controls' },
      previous,
      run,
      next,
      progress,
      createElement('span', { class: 'grow' }),
      close,
    ),
    sentence,
    facts,
    branches,
  )

  let steps: readonly LessonStep[] = []
  let current = 0
  let timer = 0
  let shown: { readonly answer: PacketResult; readonly path: number } | undefined

  function prepare(answer: PacketResult, path: number): void {
    if (shown?.answer === answer && shown.path === path) {
      onStep(panel.hidden ? undefined : ruleIndex())
      return
    }
    shown = { answer, path }
    const { packet, paths } = answer
    const followed = paths[path]
    steps = packet && followed ? createLessonSteps(packet, followed, paths, meaningOf) : []
    current = 0
    if (steps.length === 0) end()
    else if (!panel.hidden) showStep()
  }

  function showStep(): void {
    const step = steps[current]
    if (step === undefined) return
    progress.textContent = `${current + 1} / ${steps.length}${step.place === '' ? '' : ` · ${step.place}`}`
    sentence.textContent = step.sentence
    facts.replaceChildren(...(Object.keys(FIELDS) as PacketField[]).map((field) => factItem(step, field)))
    branches.replaceChildren(
      ...step.branches.map(({ weight, outcome, isFollowed }) =>
        createElement('li', { class: isFollowed ? 'followed' : undefined }, `${weight} → ${outcome}`),
      ),
    )
    previous.disabled = current === 0
    next.disabled = current === steps.length - 1
    const port = findServicePortNumber(step.owner, ports.get())
    attention.set({
      looked: [],
      rules: step.rule === '' ? [] : [step.rule],
      line: { side: 'rules', text: step.rule, isStep: true },
      ...(port === undefined ? {} : { chosen: [port] }),
    })
    onStep(ruleIndex())
  }

  function ruleIndex(): number {
    return current - 1
  }

  function move(by: number): void {
    pause()
    goTo(current + by)
  }

  function goTo(step: number): void {
    current = Math.max(0, Math.min(step, steps.length - 1))
    showStep()
  }

  function start(): void {
    if (steps.length === 0) return
    panel.hidden = false
    current = 0
    showStep()
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) pause()
    else schedule()
  }

  /** Continues, or starts again after the end. */
  function resume(): void {
    if (current === steps.length - 1) goTo(0)
    schedule()
  }

  function schedule(): void {
    clearTimeout(timer)
    const { sentence: words = '' } = steps[current] ?? {}
    timer = window.setTimeout(
      () => {
        if (current === steps.length - 1) pause()
        else {
          goTo(current + 1)
          schedule()
        }
      },
      STEP_TIME + words.length * CHARACTER_TIME,
    )
    showRunning()
  }

  function pause(): void {
    clearTimeout(timer)
    timer = 0
    showRunning()
  }

  function showRunning(): void {
    const label = timer === 0 ? 'Play' : 'Pause'
    run.textContent = timer === 0 ? '▸' : '❚❚'
    run.title = label
    run.setAttribute('aria-label', label)
  }

  function end(): void {
    pause()
    if (panel.hidden) return
    panel.hidden = true
    attention.set({ rules: [], line: { side: 'rules', text: '' } })
    onStep(undefined)
  }

  function pressKey(event: KeyboardEvent): void {
    const action = { ArrowLeft: () => move(-1), ArrowRight: () => move(1), Escape: () => end() }[event.key]
    if (action === undefined) return
    event.preventDefault()
    event.stopPropagation()
    action()
  }

  return { panel, prepare, start, steps: () => steps }
}

function factItem({ packet, changed }: LessonStep, field: PacketField): HTMLElement {
  return createElement(
    'div',
    { class: changed.includes(field) ? 'changed' : undefined },
    createElement('dt', {}, FIELDS[field]),
    createElement('dd', {}, packet[field]),
  )
}

function meaningOf(word: string): string | undefined {
  return findRuleWord(word, 0, 'rules', RULE_WORDS)?.meaning
}
