import type { Answer } from '../answers/answer.js'
import { draft, viewOf } from './draft.js'
import { objectOf, ruleNamed } from './references.js'
import type { View } from './view.js'

/** What happens, and below it why and what to do. */
export function viewOfAnswer({ happens, why, todo, object, rule }: Answer): View {
  const about = { objects: [objectOf(object)], rules: [ruleNamed(rule)] }
  return viewOf([
    draft('answer', happens, {
      ...about,
      severity: 'warning',
      children: [draft('why', `why: ${why}`, about), draft('todo', `do: ${todo}`, { objects: about.objects })],
    }),
  ])
}
