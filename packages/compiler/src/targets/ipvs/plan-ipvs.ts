import type { Stage } from '../../dataplane/netfilter/stage.js'
import type { Patch } from '../../diff/patch.js'
import type { ScriptOptions } from '../target.js'

export function planIpvs(_patch: Patch, _options: ScriptOptions): readonly Stage[] {
  throw new Error('not written')
}
