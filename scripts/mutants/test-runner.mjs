import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const TESTS = fileURLToPath(new URL('test-process.mjs', import.meta.url))

/**
 * Runs tests on a mutant, in a separate process. `run({ tests, file, text })` returns the result of each test in order,
 * up to the first failure, and `timedOut` if none finished for `patience` seconds. After a timeout it kills the
 * process, and the next run starts a new one. `close()` ends it permanently. Default `program`: the tests of vitest.
 */
export function createTestRunner({ root, patience, program = TESTS }) {
  let child

  const end = () => {
    child?.removeAllListeners()
    child?.kill('SIGKILL')
    child = undefined
  }

  async function start() {
    child = fork(program, [root], { cwd: root, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
    await new Promise((resolve, reject) => {
      child.once('message', resolve)
      child.once('exit', (code) => reject(new Error(`tests cannot be started: exit code ${code}`)))
    })
    child.removeAllListeners()
  }

  async function run(request) {
    if (child === undefined) await start()
    const results = []
    return new Promise((resolve) => {
      let timer
      const finish = (timedOut) => {
        clearTimeout(timer)
        if (timedOut) end()
        else child.removeAllListeners()
        resolve({ results, timedOut })
      }
      const wait = () => {
        clearTimeout(timer)
        timer = setTimeout(() => finish(true), patience * 1000)
      }
      wait()
      child.on('exit', () => finish(true))
      child.on('message', (message) => {
        if (message.test !== undefined) results.push(message)
        if (message.done) return finish(false)
        wait()
      })
      child.send(request)
    })
  }

  return { run, close: end }
}
