// As an application does that computes rules and applies their changes, and nothing else.
import { applyRuns, compile, diff, print, script } from '@kube-rules/compiler'
import { answer } from './answer.mjs'

globalThis.answered = answer({ compile, diff, print })
globalThis.applied = applyRuns(script({ families: [] }), async () => ({ code: 0 }))
