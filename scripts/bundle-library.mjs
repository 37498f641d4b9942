// Bundles the entry points of the package in the current folder for publication, after `tsc -b`. Runs before packing.
import { basename } from 'node:path'
import { bundlePackage } from './packages/bundle-package.mjs'

await bundlePackage(basename(process.cwd()))
