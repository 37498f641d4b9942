import type { Question } from '../question/question.js'
import type { Answers, Part } from './answers.js'
import { ABANDONED, type Client } from './client.js'

/** What of a question each part depends on. */
const FIELDS: { readonly [P in Part]: readonly (keyof Question)[] } = {
  rules: ['objects', 'host', 'mode', 'version', 'node', 'family', 'style', 'language', 'assign', 'namespace'],
  packet: [
    'objects',
    'host',
    'mode',
    'version',
    'node',
    'family',
    'style',
    'language',
    'assign',
    'namespace',
    'packet',
    'established',
    'through',
    'dump',
  ],
  change: ['objects', 'before', 'host', 'mode', 'version', 'node', 'assign', 'namespace'],
  comparison: ['objects', 'host', 'mode', 'version', 'node', 'assign', 'namespace', 'against'],
  dump: ['objects', 'host', 'mode', 'version', 'node', 'assign', 'namespace', 'dump', 'family', 'style', 'language'],
}

export interface Asker {
  /** Has these parts answered, in this order, as far as what they depend on has changed since. */
  ask(question: Question, parts: readonly Part[]): void
}

/** After so many milliseconds an answer is not waited for if there is another question. */
const PATIENCE = 1500

type OnAnswer = <P extends Part>(part: P, answer: Answers[P]) => void

/**
 * Asks one thing at a time, and always of the newest question: what was asked in between is forgotten, and an answer that
 * takes long is abandoned for the next question. `onIdle` is called when nothing is left to ask.
 */
export function createAsker(
  client: Client,
  onAnswer: OnAnswer,
  onFault: (error: unknown) => void,
  onIdle: () => void,
): Asker {
  const answered = new Map<Part, Question>()
  let wanted: { readonly question: Question; readonly parts: readonly Part[] } | undefined
  let isAsking = false
  let since = 0

  function next(): { readonly question: Question; readonly part: Part } | undefined {
    const question = wanted?.question
    const part = question && wanted?.parts.find((each) => !isSame(each, question, answered.get(each)))
    return part && question && { question, part }
  }

  async function run(): Promise<void> {
    if (isAsking) return
    isAsking = true
    for (let asked = next(); asked !== undefined; asked = next()) {
      const { question, part } = asked
      answered.set(part, question)
      since = performance.now()
      try {
        onAnswer(part, await client.ask(part, question))
      } catch (error) {
        if (error === ABANDONED) answered.delete(part)
        else onFault(error)
      }
    }
    isAsking = false
    onIdle()
  }

  /** Does not wait for ever for an answer that nobody wants any more. */
  function loseRemainingPatience(): void {
    const asked = since
    const check = () => {
      if (isAsking && since === asked) client.abandon()
    }
    setTimeout(check, Math.max(0, PATIENCE - (performance.now() - asked)))
  }

  return {
    ask: (question, parts) => {
      const isNew = wanted?.question !== question
      wanted = { question, parts }
      if (isNew && isAsking) loseRemainingPatience()
      void run()
    },
  }
}

function isSame(part: Part, question: Question, before: Question | undefined): boolean {
  return before !== undefined && FIELDS[part].every((field) => question[field] === before[field])
}
