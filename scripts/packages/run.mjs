import { execFile } from 'node:child_process'

/** A limit for hangs only. */
const FIVE_MINUTES = 300_000

/** Runs a command. Never rejects: `code` is 0 on success. */
export function run(command, args, options = {}) {
  return new Promise((resolve) => {
    const child = execFile(
      command,
      args,
      { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, timeout: FIVE_MINUTES, ...options },
      (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : (error.code ?? 1), stdout, stderr: stderr || (error?.message ?? '') }),
    )
    child.stdin?.end(options.input ?? '')
  })
}

/** Runs a command. If it fails, returns its output as the only problem. */
export async function failureOf(heading, command, args, options) {
  const { code, stdout, stderr } = await run(command, args, options)
  return code === 0 ? [] : [`${heading}: ${command} ${args.join(' ')}\n${stdout}${stderr}`]
}

/** Runs checks in parallel, and returns their problems. */
export async function problemsOf(...checks) {
  return (await Promise.all(checks)).flat()
}
