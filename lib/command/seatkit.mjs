#!/usr/bin/env node
import { main } from "./main.mjs";

await main(process.argv.slice(2));
