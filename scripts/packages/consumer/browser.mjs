// Uses the same functions as an application that computes rules and applies their changes.
import { compile, diff, print, runCommands, toCommands } from '@kube-rules/compiler'
import { answer } from './answer.mjs'

globalThis.answered = answer({ compile, diff, print })
globalThis.applied = runCommands(toCommands({ families: [] }), async () => ({ code: 0 }))
