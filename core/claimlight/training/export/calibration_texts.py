"""Texts that show how far the values inside an encoder go, for products of whole numbers.

Invented, of many fields and styles: claims, descriptions, formulae, sequences, figures. What matters is that
every kind of token is among them, as rare ones make channels stand out.
"""

TEXTS = (
    "1. A vibration damper for a vehicle, comprising a cylinder (10) filled with a damping liquid, a "
    "piston (12) dividing the cylinder into a compression chamber and a rebound chamber, and a throttle "
    "valve (14) having a plurality of spring discs, wherein an opening cross-section of the valve "
    "increases with the speed of the piston.",
    "A lithium-ion battery includes a cathode having LiNi0.8Co0.1Mn0.1O2 particles with an average "
    "diameter D50 of 5 to 12 µm, a separator coated with alumina on at least one surface, and an "
    "electrolyte containing 1.0 mol/L LiPF6 in a mixture of ethylene carbonate and dimethyl carbonate "
    "(3:7 v/v).",
    "Systems and methods for authenticating a user of a mobile device are disclosed. In one embodiment, a"
    " server receives a request over a network, determines whether the token stored in a database matches"
    " a hash of the credential, and transmits a response message to the client application.",
    "The compound of formula (I), or a pharmaceutically acceptable salt thereof, wherein R1 is C1-6 alkyl"
    " optionally substituted with one to three halogen atoms, X is N or CH, and n is 0, 1 or 2, for use "
    "in the treatment of non-small cell lung cancer.",
    "An isolated antibody that binds human PD-L1, comprising a heavy chain variable region with the "
    "sequence of SEQ ID NO: 4 and a light chain variable region at least 95% identical to SEQ ID NO: 8. "
    "The E. coli cells were lysed and the protein was purified by affinity chromatography at 4 °C.",
    "FIG. 3 is a cross-sectional view of the semiconductor device taken along line A-A′ of FIG. 2. A gate"
    " insulating layer 104 is formed on the substrate 100, and source and drain regions are doped with "
    "phosphorus at a concentration of about 1×10^20 cm−3.",
    "It is an object of the present invention to overcome the drawbacks of the prior art, in particular "
    "the high cost and the poor reliability of such devices. This object is achieved by the features of "
    "claim 1. Advantageous embodiments are the subject of the dependent claims.",
    "A wireless communication method in which a base station allocates resource blocks of a downlink "
    "control channel to a plurality of terminals according to channel quality indicators, and retransmits"
    " a transport block when a negative acknowledgement (NACK) is received within a subframe.",
    "A neural network is trained by minimising the loss L = −Σ y log p over batches of labelled images; "
    "gradients are averaged, and weights are updated with a learning rate of 0.001. The camera 21, the "
    "lidar 22 and the processor 23 are mounted on an autonomous vehicle.",
    "A knitted upper for an article of footwear; a method of brewing beverages from a capsule; a "
    "toothbrush handle with bristles; an infusion pump; a wind turbine blade made of glass-fibre "
    "reinforced epoxy resin; a door lock; a water purification membrane.",
    "The ceramic green body was dried at 110 °C for 12 h, sintered in air at 1450 °C, and showed a "
    "flexural strength of 620 MPa (Example 2) against 410 MPa (Comparative Example 1), see Table 4. "
    "Amounts are given in % by weight unless stated otherwise.",
    "What is claimed is: a non-transitory computer-readable medium storing instructions which, when "
    "executed by one or more processors, cause the one or more processors to render a graphical user "
    "interface, receive a selection of an item, and update the ranking in response thereto.",
)
