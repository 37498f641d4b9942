import { modeOf, versionOf } from './actual.mjs'

/**
 * Selects the cases of some modes and versions with a text in their names; an absent condition selects all cases. The
 * mode of a case is the mode of its first step.
 */
export function* selectCases(cases, { modes, versions, name = '' }) {
  for (const each of cases) {
    const isWanted =
      modes?.includes(modeOf(each.steps[0])) !== false &&
      versions?.includes(versionOf(each)) !== false &&
      each.name.includes(name)
    if (isWanted) yield each
  }
}
