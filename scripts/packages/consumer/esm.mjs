import * as library from '@kube-rules/compiler'
import { answer } from './answer.mjs'

console.log(answer(library))
