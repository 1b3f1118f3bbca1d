//! Writes the wire's messages anew: `codegen DESCRIPTORS FOLDER`, where DESCRIPTORS is what protoc's
//! `--descriptor_set_out` wrote. `generate.sh` calls it.

use std::error::Error;
use std::{env, fs};

use prost::Message;
use prost_types::FileDescriptorSet;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let (Some(descriptors), Some(folder)) = (arguments.next(), arguments.next()) else {
        return Err("usage: codegen DESCRIPTORS FOLDER".into());
    };
    let files = FileDescriptorSet::decode(fs::read(descriptors)?.as_slice())?;
    tonic_prost_build::configure()
        .out_dir(folder)
        .server_mod_attribute("arena.v1", "#[cfg(test)]") // a scripted server in this package's own tests
        .compile_fds(files)?;
    Ok(())
}
