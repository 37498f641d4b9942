// Checks the gzip size of the built page, with and without the editor. Run it as `pnpm playground:size`.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'vite'

const root = fileURLToPath(new URL('..', import.meta.url))

/** The limits in bytes after gzip. README.md lists the components. */
const LIMITS = {
  'with the editor': 400_000,
  'without the editor': 300_000,
}

const sizes = {
  'with the editor': sizeOf(readFileSync(`${root}dist/index.html`)),
  'without the editor': sizeOf(await pageWithout(/^@(?:codemirror|lezer)\//)),
}
for (const [what, size] of Object.entries(sizes)) {
  console.log(`the page ${what}: ${size} bytes after gzip of ${LIMITS[what]} allowed`)
}
process.exitCode = Object.entries(sizes).every(([what, size]) => size <= LIMITS[what]) ? 0 : 1

function sizeOf(content) {
  return gzipSync(content, { level: 9 }).length
}

/** Builds the page with some modules removed. */
async function pageWithout(modules) {
  const built = await build({
    root,
    logLevel: 'silent',
    build: {
      write: false,
      rollupOptions: { external: modules, output: { format: 'iife', globals: (name) => name.replace(/\W/g, '_') } },
    },
  })
  const { output } = Array.isArray(built) ? built[0] : built
  return output.find(({ fileName }) => fileName === 'index.html').source
}
