#!/usr/bin/env node
// The launcher of plumbline tells by the name of this file that the deployment tool is meant.
import './plumbline.js'
