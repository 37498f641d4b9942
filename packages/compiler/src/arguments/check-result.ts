import { IP_FAMILIES } from '@kube-rules/types'
import { createArgumentError } from '@kube-rules/types/internal/diagnostic'
import { createArgumentTypeError } from '../model/reading/argument-error.js'
import { isObject } from '../model/reading/read-field.js'
import { PROXY_MODES } from '../targets/modes.js'
import { checkChoice, checkList, checkObject } from './check-argument.js'
import { checkState } from './check-state.js'

const RESULT = 'a result of compile'
const PLAN = 'a plan, such as `plan` of a family result'
const PATCH = 'a patch, as diff and reconcile return it'

/** Checks that an argument is a result of `compile`, or a copy of one. */
export function checkResult(name: string, value: unknown): void {
  const { mode, families, family } = checkObject(name, value, RESULT)
  if (families === undefined && family !== undefined)
    throw createArgumentError(name, 'a family result or a node state is not a result of compile', RESULT)
  checkChoice(name, mode, PROXY_MODES, 'mode')
  checkList(name, families, 'a list of family results', 'families').forEach((each, index) => {
    const path = `families[${index}]`
    const { family, plan, state } = checkObject(name, each, 'a family result', path)
    checkChoice(name, family, IP_FAMILIES, `${path}.family`)
    checkPlan(name, plan, `${path}.plan`)
    checkState(name, state, `${path}.state`)
  })
}

/** Checks that an argument is a plan. The list of Services is not read, because the list may be computed on demand. */
export function checkPlan(name: string, value: unknown, path?: string): void {
  const fields = checkObject(name, value, PLAN, path)
  if ('services' in fields && isObject(fields.node) && isObject(fields.kernel)) return
  throw createArgumentTypeError(name, value, PLAN, path)
}

/** Checks that an argument is a patch between results. */
export function checkPatch(name: string, value: unknown): void {
  const { families, patch: ofUpdate } = checkObject(name, value, PATCH)
  if (isObject(ofUpdate) && 'families' in ofUpdate)
    throw createArgumentError(name, 'an update of a tracker is not a patch', 'its field `patch`')
  checkList(name, families, 'a list of family patches', 'families').forEach((each, index) => {
    const path = `families[${index}]`
    const { family, patch, staleConnections } = checkObject(name, each, 'a family patch', path)
    checkChoice(name, family, IP_FAMILIES, `${path}.family`)
    checkList(
      name,
      checkObject(name, patch, PATCH, `${path}.patch`).changes,
      'a list of changes',
      `${path}.patch.changes`,
    )
    checkList(name, staleConnections, 'a list of stale connections', `${path}.staleConnections`)
  })
}
