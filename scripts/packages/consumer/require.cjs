const { answer } = require('./answer.mjs')

console.log(answer(require('@kube-rules/compiler')))
