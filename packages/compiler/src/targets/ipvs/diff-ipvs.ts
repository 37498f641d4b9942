import type { Patch } from '../../diff/patch.js'
import type { IpvsModeState } from './state.js'

export function diffIpvs(_before: IpvsModeState | undefined, _after: IpvsModeState | undefined): Patch {
  throw new Error('not written')
}
