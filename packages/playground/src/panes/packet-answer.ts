import { createButton, createElement } from '../dom/create-element.js'
import type { PacketFact, PacketSides } from '../engine/results.js'
import { formatAnswers, parseAnswers } from '../question/fact-answers.js'
import type { PageContext } from './page-context.js'

/** Creates the two outcomes of a packet, if the node and the objects differ. */
export function createSides(sides: PacketSides | undefined, { question }: PageContext): readonly HTMLElement[] {
  if (sides === undefined) return []
  const { through } = question.get()
  const side = (name: string, value: 'rules' | 'dump', text: string) =>
    createElement(
      'button',
      {
        type: 'button',
        class: 'side',
        'aria-pressed': String(through === value),
        onclick: () => question.set({ through: value }),
      },
      createElement('strong', {}, name),
      ` ${text}`,
    )
  return [
    createElement(
      'div',
      { class: 'sides', role: 'group', 'aria-label': 'The node and the objects differ' },
      side('The node:', 'dump', sides.dump),
      side('The objects:', 'rules', sides.objects),
    ),
  ]
}

/** Maximum number of facts. */
const MOST_FACTS = 8

/** Creates a list of the facts that the outcome depends on, with buttons for their values. */
export function createFacts(facts: readonly PacketFact[], { question }: PageContext): readonly HTMLElement[] {
  if (facts.length === 0) return []
  const answerButton = (fact: PacketFact, answer: boolean) => {
    const isGiven = fact.answer === answer
    const give = () => {
      const answers = parseAnswers(question.get().answers)
      question.set({ answers: formatAnswers(answers, fact.condition, isGiven ? undefined : answer) })
    }
    return createButton(answer ? 'yes' : 'no', give, {
      'aria-pressed': String(isGiven),
      'aria-label': `${answer ? 'Yes' : 'No'}: ${fact.text}`,
    })
  }
  return [
    createElement('h2', {}, 'What the rules do not say'),
    createElement(
      'ul',
      { class: 'facts' },
      ...facts
        .slice(0, MOST_FACTS)
        .map((fact) =>
          createElement(
            'li',
            { title: fact.condition },
            createElement('span', { class: 'segmented' }, answerButton(fact, true), answerButton(fact, false)),
            createElement('span', {}, fact.text),
          ),
        ),
    ),
  ]
}
