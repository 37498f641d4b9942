// As an application does that computes rules and their changes, and nothing else.
import { compile, diff, print } from '@kube-rules/compiler'
import { answer } from './answer.mjs'

globalThis.answered = answer({ compile, diff, print })
