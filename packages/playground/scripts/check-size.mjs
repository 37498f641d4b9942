// Checks the gzip size of the built page. Run it as `pnpm playground:size`.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

/** The limit in bytes after gzip. */
const LIMIT = 464_500

const page = readFileSync(fileURLToPath(new URL('../dist/index.html', import.meta.url)))
const size = gzipSync(page, { level: 9 }).length
console.log(`the page: ${size} bytes after gzip of ${LIMIT} allowed`)
process.exitCode = size <= LIMIT ? 0 : 1
