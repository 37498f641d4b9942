import type { Answer } from '../answers/answer.js'
import { draft, viewOf } from './draft.js'
import { objectOf, ruleNamed } from './references.js'
import type { View } from './view.js'

/** What happens, and below it why, what to do, and the rule with its place where that is known. */
export function viewOfAnswer({ happens, why, todo, object, rule, ruleIs, source }: Answer): View {
  const about = { objects: [objectOf(object)], rules: [ruleNamed(rule)] }
  const place = source === undefined ? '' : `${placeText(source)}, `
  return viewOf([
    draft('answer', happens, {
      ...about,
      severity: 'warning',
      children: [
        draft('why', `why: ${why}`, about),
        draft('todo', `do: ${todo}`, { objects: about.objects }),
        draft('rule', `rule: ${place}${ruleIs}: ${rule}`, about),
      ],
    }),
  ])
}

/** `line 17 of node.dump`. */
function placeText(source: string): string {
  const [, file, line] = /^(.*):(\d+)$/s.exec(source) ?? []
  return line === undefined ? source : `line ${line} of ${file}`
}
